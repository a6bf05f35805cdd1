"""Lab 02: planted mistakes in a backward kernel and in its Function are named, right answers pass."""

import contextlib
import os
import shutil
from concurrent.futures import ThreadPoolExecutor

import pytest
from lab_tools import ROOT, first_mistake, first_mistakes_apart, planted, run_notebook

from cudabook.emulator import build as emulator
from cudabook.errors import BuildError
from cudabook.make_labs import solution_cells

LAB, KERNEL, FUNCTION = "02_backward", "silu_mul_backward", "silu_mul_function"


@pytest.fixture(scope="module")
def work(tmp_path_factory):
    """A folder with the solution's cells and every planted kernel, which are compiled side by side."""
    folder = tmp_path_factory.mktemp("lab") / "work"
    folder.mkdir()
    for name, suffix in ((KERNEL, ".cu"), (FUNCTION, ".py")):
        (folder / (name + suffix)).write_text(solution_cells(LAB)[name])
    for parameters in planted(KERNEL) + planted(KERNEL, right=True):
        (folder / f"{parameters.id}.cu").write_text(parameters.values[0])

    def build(task):
        with contextlib.suppress(BuildError):  # the test says so
            emulator.build_file(*task)

    build((folder / f"{KERNEL}.cu", False))  # the emulator's runtime first
    with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        list(pool.map(build, [(file, watched) for file in folder.glob("*.cu") for watched in (False, True)]))
    return folder


@pytest.mark.parametrize("text, mistake", planted(KERNEL) + planted(KERNEL, right=True))
def test_kernel(text, mistake, work, request):
    file = work / f"{request.node.callspec.id}.cu"
    found = first_mistake(KERNEL, file)
    assert (found and found.name) == mistake, str(found)


@pytest.fixture(scope="module")
def found(work):
    return first_mistakes_apart(FUNCTION, work)


@pytest.mark.parametrize("text, mistake", planted(FUNCTION) + planted(FUNCTION, right=True))
def test_function(text, mistake, found, request):
    first = found[request.node.callspec.id].result(timeout=300)
    assert (first and first[0]) == mistake, first and first[1]


def test_function_waits_for_its_kernel(work, tmp_path):
    shutil.copy(work / f"{FUNCTION}.py", tmp_path)
    first = first_mistake(FUNCTION, tmp_path / f"{FUNCTION}.py")
    assert first.name == "kernel-first" and "There is no silu_mul_backward.cu yet" in str(first)


def test_unfinished_lab_says_so_kindly(work, tmp_path, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", str(ROOT), prepend=os.pathsep)
    text = (ROOT / "labs" / f"{LAB}.md").read_text()
    kernel = "Nothing has been launched yet, and da and db are empty: this is what an unfinished lab says."
    function = "backward returns nothing yet: this is what an unfinished lab says."
    assert f"> {kernel}" in text and f"> {function}" in text, "the page quotes another sentence than the check says"
    shown = run_notebook(text, tmp_path)
    assert kernel in shown and "The kernel is needed here" in shown and "It passes" not in shown
    unfinished = work / "unfinished.py"  # beside a kernel that is right
    shutil.copy(tmp_path / "work" / f"{FUNCTION}.py", unfinished)
    assert first_mistake(FUNCTION, unfinished).sentence == function
