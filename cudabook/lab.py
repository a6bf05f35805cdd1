"""What a lab notebook uses: the cell magics ``%%kernel`` and ``%%module``, ``check``, ``hint``.

Importing this module in a notebook registers the magics.
"""

import datetime
import functools
import hashlib
import json
import os
import sys
from pathlib import Path

from .checking import table
from .checking.run import Limits
from .checking.run import check as run_check
from .checking.table import LabError
from .checking.verdict import Verdict

__all__ = ["LabError", "check", "hint", "progress"]
STATE = ".progress.json"


def check(name: str, file: str | os.PathLike | None = None, limits: Limits | None = None) -> Verdict:
    """Check the answer to an exercise. In a notebook the returned verdict shows itself as a table.

    Args:
        name: the exercise, the NAME of its ``%%kernel NAME`` or ``%%module NAME`` cell.
        file: another file than the learner's ``work/NAME.cu`` or ``work/NAME.py``; its outcome is not kept as progress.
        limits: what the code may take.

    Raises:
        LabError: there is no such exercise.
    """
    verdict = run_check(name, Path(file) if file else None, limits)
    if file is None:
        outcomes = [row.outcome for row in verdict.rows]
        _remember(
            name,
            table.find(name).parent,
            passed=verdict.passed,
            checks=[outcomes.count("passed"), len(outcomes)],
            time=datetime.datetime.now().isoformat(timespec="seconds"),
        )
    return verdict


class Hint(str):
    """A text that a notebook shows without quotes."""

    __repr__ = str.__str__


def hint(name: str) -> Hint:
    """The next hint of an exercise: each call gives one more, then they start over.

    Raises:
        LabError: there is no such exercise.
    """
    hints = table.exercise(name).hints
    folder = table.find(name).parent
    number = _state(folder).get(name, {}).get("hints", 0) % len(hints)
    _remember(name, folder, hints=number + 1)
    return Hint(f"Hint {number + 1} of {len(hints)}: {hints[number]}")


def progress() -> dict[str, dict]:
    """How far the learner is: for each exercise its lab and title, and of the last check the time, ``passed``, and
    ``checks`` (how many passed, of how many); these three are missing where there was none."""
    found = {}
    for exercise in table.exercises().values():
        states = [_state(folder).get(exercise.name, {}) for folder in table.work_folders()]
        found[exercise.name] = {"lab": exercise.lab, "title": exercise.title} | max(
            states, key=lambda s: s.get("time", "")
        )
    return found


def _state(folder: Path) -> dict:
    try:
        return json.loads((folder / STATE).read_text())
    except (OSError, ValueError):
        return {}


def _remember(name: str, folder: Path, **what) -> None:
    state = _state(folder)
    state[name] = state.get(name, {}) | what
    folder.mkdir(parents=True, exist_ok=True)
    partial = folder / f"{STATE}.{os.getpid()}"
    partial.write_text(json.dumps(state, indent=2) + "\n")
    os.replace(partial, folder / STATE)


def write_cell(magic: str, line: str, cell: str) -> None:
    """What ``%%kernel NAME`` and ``%%module NAME`` do: write the cell to ``work/`` beside the notebook.

    A file that was edited since the cell was last run is kept, as ``NAME.edited.cu`` or ``NAME.edited.py``.

    Raises:
        LabError: NAME is no exercise, or is written in the other kind of cell.
    """
    exercise, folder = table.exercise(line.strip()), table.work_folder()
    name, path = exercise.name, folder / exercise.file
    if exercise.cell != magic:
        raise LabError(f"The exercise '{name}' is written in a cell that starts with %%{exercise.cell} {name}.")
    old = path.read_text() if path.is_file() else cell
    if old != cell and _digest(old) != _state(folder).get(name, {}).get("cell"):
        kept = path.with_suffix(f".edited{path.suffix}")
        kept.write_text(old)
        print(f"{path.name} had been edited outside of this cell: that version is now work/{kept.name}.")
    _remember(name, folder, cell=_digest(cell))
    path.write_text(cell)
    print(f'Written to work/{path.name}. Next: check("{name}")')


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16]


if "IPython" in sys.modules and (shell := sys.modules["IPython"].get_ipython()):
    for _magic in table.MAGICS:
        shell.register_magic_function(functools.partial(write_cell, _magic), "cell", _magic)
