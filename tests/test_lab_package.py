"""Lab 04: planted mistakes in a package's setup.py and __init__.py are named, right answers pass."""

import os

import pytest
from lab_tools import ROOT, command, first_mistakes_apart, planted, run_notebook

from cudabook.make_labs import solution_cells

pytestmark = pytest.mark.slow
LAB, SETUP, INIT = "04_package", "silu_mul_setup", "silu_mul_init"


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    """What is found in each planted answer. One check before them compiles what all of them use."""
    folder = tmp_path_factory.mktemp("lab")
    (folder / "work").mkdir()
    (folder / "work" / f"{INIT}.py").write_text(solution_cells(LAB)[INIT])
    ran = command("check", INIT, cwd=folder)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    return {exercise: first_mistakes_apart(exercise, tmp_path_factory.mktemp(exercise)) for exercise in (SETUP, INIT)}


@pytest.mark.parametrize("text, mistake", planted(SETUP) + planted(SETUP, right=True))
def test_setup(text, mistake, found, request):
    first = found[SETUP][request.node.callspec.id].result(timeout=300)
    assert (first and first[0]) == mistake, first and first[1]


@pytest.mark.parametrize("text, mistake", planted(INIT) + planted(INIT, right=True))
def test_init(text, mistake, found, request):
    first = found[INIT][request.node.callspec.id].result(timeout=300)
    assert (first and first[0]) == mistake, first and first[1]


def test_unfinished_lab_says_so_kindly(found, tmp_path, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", str(ROOT), prepend=os.pathsep)
    text = (ROOT / "labs" / f"{LAB}.md").read_text()
    shown = run_notebook(text, tmp_path)
    for sentence in (
        "setup.py lists no extension yet: this is what an unfinished lab says.",
        "The package has no function silu_mul yet: this is what an unfinished lab says.",
    ):
        assert f"> {sentence}" in text, "the page quotes another sentence than the check says"
        assert sentence in shown


def test_nothing_is_left_where_the_sources_are(found):
    assert {p.name for p in (ROOT / "labs" / "silu_mul").iterdir()} == {"bindings.cpp", "silu_mul.h", "pyproject.toml"}
