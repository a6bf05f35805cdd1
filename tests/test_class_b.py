"""Every public problem of class_b.toml × every operator of csrc, on both targets."""

import re

import class_b
import pytest

from cudabook import build


@pytest.mark.parametrize("operator", class_b.OPERATORS, ids=lambda o: o.name)
@pytest.mark.parametrize("row", class_b.ROWS)
def test_row(row, operator, target):
    try:
        class_b.check(row, operator, target)
    except class_b.NotHere as why:
        pytest.skip(str(why))


def test_every_operator_of_csrc_is_in_the_table():
    assert {o.name for o in class_b.OPERATORS} == {p.name for p in build.CSRC.iterdir() if p.is_dir()}


def test_every_problem_has_a_check_and_a_source():
    assert list(class_b.ROWS) == list(class_b.CHECKS)
    for about in class_b.ROWS.values():
        assert about["problem"] and about["holds"] and about["sources"]
        assert all(re.fullmatch(r"[\w.-]+/[\w.-]+#\d+", source) for source in about["sources"])


def test_the_table_as_data(monkeypatch):
    """A check that fails is told as failing, with its words; the others as they are."""

    def broken(case):
        raise AssertionError("3 is not 4")

    monkeypatch.setattr(class_b, "ROWS", {row: class_b.ROWS[row] for row in ("B01", "B07", "B17", "B21")})
    monkeypatch.setitem(class_b.CHECKS, "B01", broken)
    table = class_b.outcomes("emulator")
    assert [line["row"] for line in table] == ["B01", "B07", "B17", "B21"]
    assert table[0]["vector_add"] == table[0]["bias_gelu_residual"] == "fails: 3 is not 4"
    assert table[1]["vector_add"] == "needs a GPU"
    assert table[2]["vector_add"].startswith("cannot touch it") and table[2]["bias_gelu_residual"] == "holds"
    assert table[3]["vector_add"] == "holds" and table[3]["sources"][0] == "pytorch/pytorch#115405"
