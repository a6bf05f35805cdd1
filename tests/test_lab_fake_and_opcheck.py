"""Lab 03: planted mistakes in what is registered are named, right answers pass."""

import os

import pytest
from lab_tools import ROOT, first_mistakes_apart, planted, run_notebook

from cudabook.checking.registered import sources
from cudabook.make_labs import solution_cells

LAB, EXERCISE = "03_fake_and_opcheck", "silu_mul_library"


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    sources()
    return first_mistakes_apart(EXERCISE, tmp_path_factory.mktemp("answers"))


@pytest.mark.parametrize("text, mistake", planted(EXERCISE) + planted(EXERCISE, right=True))
def test_registration(text, mistake, found, request):
    first = found[request.node.callspec.id].result(timeout=300)
    assert (first and first[0]) == mistake, first and first[1]


def test_unfinished_lab_says_so_kindly(tmp_path, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", str(ROOT), prepend=os.pathsep)
    text = (ROOT / "labs" / f"{LAB}.md").read_text()
    sentence = "silu_mul has no fake yet, so nothing can trace it: this is what an unfinished lab says."
    assert f"> {sentence}" in text, "the page quotes another sentence than the check says"
    assert sentence in run_notebook(text, tmp_path)


def test_the_kernels_are_those_of_lab_02():
    kernels = {p.name: p.read_text() for p in sources()}
    assert kernels["silu_mul.cu"] == solution_cells("02_backward")["silu_mul_backward"]
    assert kernels["bindings.cpp"] == (ROOT / "labs" / "silu_mul" / "bindings.cpp").read_text()
