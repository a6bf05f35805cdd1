"""Labs 05 to 09: planted mistakes in kernels whose threads work together are named, right answers pass."""

import pytest
from lab_tools import ROOT, first_mistake, first_mistakes_apart, planted

from cudabook import make_labs
from cudabook.checking import table
from cudabook.emulator import build as emulator

EXERCISES = ["transpose", "reduce", "softmax", "tiled_matmul", "register_tile"]
ANSWERS = [
    pytest.param(exercise, answer.id, answer.values[1], id=f"{exercise}-{answer.id}")
    for exercise in EXERCISES
    for answer in planted(exercise) + planted(exercise, right=True)
]


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    emulator.runtime_library()  # once, before many processes need it
    return {exercise: first_mistakes_apart(exercise, tmp_path_factory.mktemp(exercise)) for exercise in EXERCISES}


@pytest.mark.parametrize("exercise, answer, mistake", ANSWERS)
def test_planted(exercise, answer, mistake, found):
    first = found[exercise][answer].result(timeout=300)
    assert (first and first[0]) == mistake, first and first[1]


@pytest.mark.parametrize("exercise", EXERCISES)
def test_unfinished_lab_says_so_kindly(exercise, tmp_path):
    text = (ROOT / "labs" / f"{table.exercise(exercise).lab}.md").read_text()
    file = tmp_path / f"{exercise}.cu"
    file.write_text(dict(make_labs.CELL.findall(text))[exercise])
    first = first_mistake(exercise, file)
    assert first.name == "nothing-launched"
    quoted = " ".join(line.removeprefix("> ") for line in text.splitlines() if line.startswith("> "))
    assert quoted and first.sentence.startswith(quoted), "the page quotes another sentence than the check says"


@pytest.mark.parametrize("exercise", EXERCISES)
def test_enough_is_planted(exercise):
    assert len(planted(exercise)) >= 10
    assert len(planted(exercise, right=True)) >= 3
