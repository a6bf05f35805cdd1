"""Planted faults are found, at their line; correct kernels and the project's own operators raise no report.

``planted/TOOL/NAME.cu`` holds one fault: its first line says what kind it is, ``// here`` ends its line, and of a race
``// other`` ends the line of the other access. ``planted/clean`` holds kernels that only look dangerous.
"""

import json
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path

import pytest
import torch

import cudabook
from cudabook.build import CSRC
from cudabook.emulator.build import build_file

PLANTED = Path(__file__).parent / "planted"
TOOLS = ("memcheck", "initcheck", "racecheck", "synccheck")
FAULTS = sorted(p for tool in TOOLS for p in (PLANTED / tool).glob("*.cu"))
CLEAN = sorted((PLANTED / "clean").glob("*.cu"))
N = 1000


def name_of(path: Path) -> str:
    return f"{path.parent.name}-{path.stem}"


@pytest.fixture(scope="module")
def built():
    """All planted kernels, compiled two at a time: what waits for a compiler is most of these tests' time."""
    with ThreadPoolExecutor(2) as pool:
        list(pool.map(lambda job: build_file(*job), [(p, w) for p in [*FAULTS, *CLEAN] for w in (False, True)]))


def marked(path: Path, mark: str) -> int:
    numbers = [n for n, line in enumerate(path.read_text().splitlines(), 1) if line.endswith(f"  // {mark}")]
    assert len(numbers) <= 1
    return numbers[0] if numbers else 0


def arguments():
    torch.manual_seed(1)
    return torch.rand(1024), torch.zeros(1024), torch.zeros(1024, dtype=torch.int32)


def sanitized(path: Path):
    op = cudabook.load(path, "emulator")
    x, out, ints = arguments()
    with cudabook.sanitize() as found:
        op.run(x, out, ints, N)
    return found, x, out, ints


@pytest.mark.parametrize("path", FAULTS, ids=name_of)
def test_planted_fault_is_found(built, path):
    kind = path.read_text().splitlines()[0].removeprefix("// expect: ")
    here, other = marked(path, "here"), marked(path, "other")
    assert here
    found = sanitized(path)[0]
    assert {r.file for r in found} == {str(path)}, str(found)
    places = [(r.tool, r.kind, {r.line, r.other_line} - {0}) for r in found]
    assert (path.parent.name, kind, {here, other} - {0}) in places, str(found)


def test_there_are_enough_planted_faults():
    count = {tool: len([p for p in FAULTS if p.parent.name == tool]) for tool in TOOLS}
    assert min(count.values()) >= 15, count
    assert len(CLEAN) >= 20
