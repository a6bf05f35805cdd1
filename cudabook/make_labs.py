"""Makes labs/ from solutions/: the same notebooks, with what the learner is to write taken out."""

import re
from pathlib import Path

from .checking.table import ROOT

SOLUTIONS, LABS = ROOT / "solutions", ROOT / "labs"
# nbgrader's markers: ### in Python, // in CUDA.
BEGIN = re.compile(r"(?P<indent>\s*)(?P<comment>###|//)\s*BEGIN SOLUTION\s*")
END = re.compile(r"\s*(?:###|//)\s*END SOLUTION\s*")
MARKER = re.compile(r"(?:BEGIN|END)\s+SOLUTION", re.IGNORECASE)
CELL = re.compile(r"^```\{code-cell\} ipython3\n%%(?:kernel|module) (\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
FRONT_MATTER = re.compile(r"\A---\n.*?^---\n", re.MULTILINE | re.DOTALL)


class MarkerError(ValueError):
    """A BEGIN SOLUTION without its END SOLUTION, or one that is misspelt. The message names file and line."""


def without_solution(text: str, name: str) -> str:
    """The lab for a solution's text: what stands between the markers becomes a comment that says how long it was.

    Raises:
        MarkerError: the markers do not pair.
    """
    lines, begin, gap = [], None, []
    for number, line in enumerate(text.splitlines(), 1):
        if begin is None and (match := BEGIN.fullmatch(line)):
            begin, gap = (number, match), []
        elif begin is not None and END.fullmatch(line):
            lines.append(_gap(begin[1], gap))
            begin = None
        elif MARKER.search(line):
            raise MarkerError(
                f"{name}:{number}: '{line.strip()}' does not fit here. A gap stands between lines "
                "'### BEGIN SOLUTION' and '### END SOLUTION' (with // in CUDA)."
            )
        elif begin is not None:
            gap.append(line)
        else:
            lines.append(line)
    if begin is not None:
        raise MarkerError(f"{name}:{begin[0]}: this BEGIN SOLUTION has no END SOLUTION.")
    front = FRONT_MATTER.match("\n".join(lines) + "\n")
    note = f"\n<!-- Made from solutions/{name} by `cudabook labs`: edit that file. -->\n"
    text = "\n".join(lines) + "\n"
    return text[: front.end()] + note + text[front.end() :] if front else note.lstrip() + text


def _gap(match: re.Match, lines: list[str]) -> str:
    number = sum(bool(line.strip()) and not line.strip().startswith(("//", "#")) for line in lines)
    comment = "//" if match["comment"] == "//" else "#"
    return f"{match['indent']}{comment} your code: about {number} line{'' if number == 1 else 's'}"


def solution_cells(lab: str) -> dict[str, str]:
    """What a learner writes in a lab, from its solution: {exercise: source}."""
    text = (SOLUTIONS / f"{lab}.md").read_text()
    return dict(CELL.findall(text))


def labs() -> dict[Path, str]:
    """The path and the text of every lab, as the solutions give them."""
    return {LABS / s.name: without_solution(s.read_text(), s.name) for s in sorted(SOLUTIONS.glob("*.md"))}


def differences() -> list[str]:
    """What in labs/ is not as the solutions give it: one sentence a file."""
    wanted = labs()
    found = [
        f"{path.relative_to(ROOT)} is not what its solution gives."
        for path, text in wanted.items()
        if not path.is_file() or path.read_text() != text
    ]
    return found + [
        f"{path.relative_to(ROOT)} has no solution." for path in sorted(LABS.glob("*.md")) if path not in wanted
    ]


def write() -> list[Path]:
    """Write the labs that changed, and return their paths."""
    changed = [path for path, text in labs().items() if not path.is_file() or path.read_text() != text]
    for path in changed:
        path.write_text(labs()[path])
    return changed
