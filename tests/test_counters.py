"""The emulator's counts and the hardware counters in records/, call by call."""

import pytest

from cudabook import build, counters, records

RECORDED = sorted((build.ROOT / "records").glob("*/*_counters.json"))


@pytest.mark.parametrize("path", RECORDED, ids=lambda p: f"{p.parent.name}-{p.stem}")
def test_counts_equal_what_was_recorded(path):
    record = records._read(path)
    ours = counters.on_emulator(record.name.removesuffix("_counters"))
    assert list(ours) == [row["call"] for row in record.rows]
    for row in record.rows:
        assert ours[row["call"]] == {name: row[name] for name in counters.METRICS}, row["call"]


def test_every_operator_has_counters_recorded():
    operators = {p.name for p in build.CSRC.iterdir() if p.is_dir()}
    assert operators == {p.stem.removesuffix("_counters") for p in RECORDED}
