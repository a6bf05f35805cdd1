"""The table of exercises (labs/labs.toml), and where a learner's files are."""

import tomllib
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LABS = ROOT / "labs"
MAGICS = {"kernel": ".cu", "module": ".py"}  # the magics of the cells that learners fill, and what they write
NEEDS_GPU = "needs a GPU"  # the one reason for which a check may be skipped


class LabError(ValueError):
    """A request that cannot be met, such as a check that does not exist. The message says what there is."""


@dataclass(frozen=True)
class Exercise:
    """One exercise: its name, its lab, its title, its hints from vague to plain, the cell in which it is written, and
    the seconds that one of its checks may take.

    The name is that of its check, and of the file that its ``%%kernel`` (.cu) or ``%%module`` (.py) cell writes.
    """

    name: str
    lab: str
    title: str
    hints: tuple[str, ...]
    cell: str = "kernel"
    seconds: float = 20.0

    @property
    def file(self) -> str:
        return self.name + MAGICS[self.cell]

    @property
    def check(self) -> Path:
        return LABS / "checks" / f"test_{self.name}.py"


def exercises() -> dict[str, Exercise]:
    """All exercises, in the order of the labs."""
    table = tomllib.loads((LABS / "labs.toml").read_text())
    found = {}
    for name, row in table.items():
        hints = tuple(" ".join(hint.split()) for hint in row.pop("hints"))
        found[name] = Exercise(name, hints=hints, **row)
    return found


def exercise(name: str) -> Exercise:
    """The exercise of that name. Raises LabError if there is none."""
    known = exercises()
    if name not in known:
        raise LabError(f"There is no exercise '{name}'. There are: {', '.join(known)}.")
    return known[name]


def work_folder() -> Path:
    """Where learners' cells are written: ``work`` beside the notebook, which is the folder that a notebook runs in."""
    here = Path.cwd()
    return (LABS if here == ROOT else here) / "work"


def work_folders() -> list[Path]:
    """Where a learner's files may be, the most likely first: one works in labs/ or in notebooks/."""
    return list(dict.fromkeys([work_folder(), LABS / "work", ROOT / "notebooks" / "work"]))


def find(name: str) -> Path:
    """The learner's file of an exercise: the one in the current folder, else the newest. It need not exist."""
    file = exercise(name).file
    current = work_folder() / file
    others = [f for folder in work_folders() if (f := folder / file).is_file()]
    return current if current.is_file() or not others else max(others, key=lambda f: f.stat().st_mtime)
