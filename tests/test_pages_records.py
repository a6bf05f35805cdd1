"""The cells of pages that show a record, without one and with one that is made up here."""

import contextlib
import io
from pathlib import Path

import jupytext
import pytest

import cudabook
from cudabook import cuda, figures, records

CHAPTERS = Path(__file__).parents[1] / "chapters"


def run_cells(page: str, first: str, last: str) -> tuple[dict, list, str]:
    """Run the cells of a page from the one with ``first`` in it to the one with ``last``.

    Returns the names they leave, the values of their last lines, and what they printed.
    """
    cells = [c.source for c in jupytext.read(CHAPTERS / page).cells if c.cell_type == "code"]
    start, end = (next(i for i, c in enumerate(cells) if text in c) for text in (first, last))
    names, values, printed = {"cudabook": cudabook, "figures": figures}, [], io.StringIO()
    with contextlib.redirect_stdout(printed):
        for cell in cells[start : end + 1]:
            head, _, value = cell.rstrip().rpartition("\n\n")
            with contextlib.suppress(SyntaxError):
                compile(value, page, "eval")
                exec(head, names)
                values.append(eval(value, names))
                continue
            exec(cell, names)
    return names, values, printed.getvalue()


@pytest.fixture
def made_up(tmp_path, monkeypatch):
    """No GPU, and a folder of records of our own; returns a function that writes a record there."""
    monkeypatch.setenv("CUDABOOK_RECORDS", str(tmp_path))
    monkeypatch.setattr(cuda, "problem", lambda: "no GPU is visible")

    def write():
        common = {"dtype": "bfloat16", "rows": 16384, "n": 4096, "approximate": "none"}
        times = {"forward": {"v1": 4, "v2": 2, "eager": 5, "torch.compile": 3, "copy": 2},
                 "backward": {"v1": 8, "v2": 4, "v3": 2, "eager": 3, "torch.compile": 2, "copy": 2},
                 "training step": {"v3": 4, "eager": 10, "torch.compile": 6}}
        rows = [{"experiment": e, "version": v, **common, "ms": ms, "gb_per_s": 4000 / ms}
                for e, versions in times.items() for v, ms in versions.items()]
        rows += [{"experiment": "small step", "version": "graph replay", "ms": 0.0125, "dtype": "float32"}]
        stamp = {"gpu": "Made-up GPU", "torch": "2.0", "cuda": "1.0", "date": "2026-01-01"}
        records.write(records.Record("bias_gelu_residual", rows, stamp, "0"))

    return write


def test_no_record(made_up):
    names, values, printed = run_cells("06_autograd.md", 'cudabook.record("bias_gelu_residual")', "× ours")
    assert names["record"] is None and values == [None]
    assert printed.count("\n") == 1 and "no speed is shown" in printed
    _, _, printed = run_cells("06a_registered_operators.md", "small step", "small step")
    assert printed == "There is no record of it yet.\n"


def test_a_record(made_up):
    made_up()
    _, [figure], printed = run_cells("06_autograd.md", 'cudabook.record("bias_gelu_residual")', "× ours")
    bars = figure.axes[0].patches
    assert sorted(round(bar.get_height(), 2) for bar in bars) == sorted(
        round(4 / ms, 2) for ms in (4, 2, 5, 3, 8, 4, 2, 3, 2, 4, 10, 6)
    )
    title = figure.get_suptitle().replace("\n", " ")
    assert "Made-up GPU, recorded 2026-01-01" in title and "the sources have changed since" in title
    assert printed.split("\n")[:2] == ["forward        eager          2.50 × ours",
                                       "forward        torch.compile  1.50 × ours"]
    assert "training step  eager          2.50 × ours" in printed and "backward       torch.compile  1.00" in printed
    _, _, printed = run_cells("06a_registered_operators.md", "small step", "small step")
    assert "graph replay" in printed and "12.5 µs" in printed and "Made-up GPU" in printed


def test_the_page_on_reductions(made_up):
    made_up()
    page = "05a_reductions_and_softmax.md"
    names, values, printed = run_cells(page, "def recorded(name)", "costs at least")
    assert names["record"] is None and values == [None, None]
    assert printed.count("\n") == 1 and "no record of reduce: no speed is shown" in printed
    speeds = {"v1": 4, "v2": 1000, "v3": 1000, "v4": 4000, "torch.sum": 3000, "copy": 4000}
    rows = [{"experiment": "bandwidth", "version": v, "dtype": "float32", "n": 2**28, "gb_per_s": speed,
             **dict.fromkeys(("ms", "ms_low", "ms_high"), 2**30 / speed / 1e6)} for v, speed in speeds.items()]
    rows += [{"experiment": "small", "version": v, "n": 1, "ms": ms} for v, ms in (("v4", 0.02), ("torch.sum", 0.01))]
    stamp = {"gpu": "Made-up GPU", "torch": "2.0", "cuda": "1.0", "date": "2026-01-01"}
    records.write(records.Record("reduce", rows, stamp, "0"))
    _, [figure, _], printed = run_cells(page, "def recorded(name)", "costs at least")
    assert [bar.get_height() for bar in figure.axes[0].patches] == [0.004, 1, 1, 4, 3]
    assert "v4          100.0\ntorch.sum    75.0" in printed and "1.00 atomics a nanosecond" in printed
    assert "v4        costs at least 20.0 µs" in printed
