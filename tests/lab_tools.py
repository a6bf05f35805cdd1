"""What the tests of labs share: planted answers, the first mistake that a check finds, notebooks that run.

``labs/EXERCISE/planted.toml`` holds answers as changes of the solution: a table an answer, with the ``mistake`` that
must be found (none in a right answer) and ``replace``, a list of pairs of the solution's text and another.
"""

import functools
import importlib.util
import multiprocessing
import os
import subprocess
import sys
import tomllib
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import jupytext
import pytest
from nbclient import NotebookClient

from cudabook.checking import table
from cudabook.checking.mistake import Mistake
from cudabook.checking.run import checks_of
from cudabook.make_labs import solution_cells

ROOT = Path(__file__).parents[1]
LABS = Path(__file__).parent / "labs"


def planted(exercise: str, right: bool = False):
    """(text of the answer, mistake) of each planted answer, the right or the wrong ones, as parameters of a test."""
    found = []
    solution = solution_cells(table.exercise(exercise).lab)[exercise]
    for name, answer in tomllib.loads((LABS / exercise / "planted.toml").read_text()).items():
        text = solution
        for old, new in answer["replace"]:
            assert text.count(old) == 1, f"{exercise}, {name}: the solution has this {text.count(old)} times:\n{old}"
            text = text.replace(old, new)
        if right == ("mistake" not in answer):
            found.append(pytest.param(text, answer.get("mistake"), id=name))
    return found


def first_mistake(exercise: str, file: Path) -> Mistake | None:
    """The first mistake that the checks of an exercise find, run here and not in a child: torch is imported once."""
    path = table.exercise(exercise).check
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    answer = module.ANSWER(file, exercise)
    rows, gpu_only = checks_of(path)
    for row in rows:
        if row.name in gpu_only and answer.target != "cuda":
            continue
        try:
            getattr(module, row.name)(answer)
        except Mistake as mistake:
            return mistake
    return None


def _told(exercise: str, file: Path) -> tuple[str, str] | None:
    mistake = first_mistake(exercise, file)
    return mistake and (mistake.name, str(mistake))


@functools.cache
def _pool() -> ProcessPoolExecutor:
    """Processes for answers, one an answer, forked from one that has imported what checks need."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["torch", "torch._dynamo", "cudabook.checking.registered", "lab_tools"])
    return ProcessPoolExecutor(len(os.sched_getaffinity(0)), mp_context=context, max_tasks_per_child=1)


def first_mistakes_apart(exercise: str, folder: Path) -> dict:
    """Begin to check every planted answer to an exercise, each in a process of its own: in Python it may change torch,
    and a kernel is built while another runs.

    Args:
        folder: where the answers are written.

    Returns:
        A future of (name, text) of the first mistake for each answer, or of None.
    """
    futures = {}
    for parameters in planted(exercise) + planted(exercise, right=True):
        file = folder / f"{parameters.id}{Path(table.exercise(exercise).file).suffix}"
        file.write_text(parameters.values[0])
        futures[parameters.id] = _pool().submit(_told, exercise, file)
    return futures


def command(*arguments, cwd=ROOT):
    """Run ``cudabook`` with arguments."""
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])}
    return subprocess.run(
        [sys.executable, "-m", "cudabook", *map(str, arguments)],
        cwd=cwd,
        env=environment,
        capture_output=True,
        text=True,
    )


def run_notebook(text: str, folder: Path) -> str:
    """Execute a page in a folder and return what its cells printed or showed as text."""
    notebook = jupytext.reads(text, fmt="md:myst")
    NotebookClient(
        notebook, timeout=300, kernel_name="python3", resources={"metadata": {"path": str(folder)}}
    ).execute()
    return "\n".join(
        out.get("text") or out["data"]["text/plain"] for cell in notebook.cells for out in cell.get("outputs", [])
    )
