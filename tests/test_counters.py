"""The emulator's counts and the hardware counters in records/, call by call."""

import pytest

from cudabook import build, counters, records

# operators whose counters no GPU has read yet
TO_BE_READ = {"layer_norm", "matmul", "reduce", "softmax", "transpose"}
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
    recorded = {p.stem.removesuffix("_counters") for p in RECORDED}
    assert recorded | TO_BE_READ == operators and not recorded & TO_BE_READ


@pytest.mark.parametrize("name", TO_BE_READ)
def test_the_calls_to_be_read_launch_one_kernel_each(name):
    assert all(any(counts.values()) for counts in counters.on_emulator(name).values())
