"""Looking at C++ text without parsing it."""

import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

OPEN, CLOSE = "([{", ")]}"


def mask(source: str, keep_strings: bool = False) -> str:
    """The source with comments (and the insides of literals) blanked, character for character."""
    pattern = re.compile(
        r"""//(?:\\\n|[^\n])*            # line comment
          | /\*.*?\*/                    # block comment
          | R"(?P<d>[^\s()\\]{0,16})\(.*?\)(?P=d)"   # raw string
          | "(?:\\.|[^"\\\n])*"          # string
          | (?<![0-9a-zA-Z_])'(?:\\.|[^'\\\n])+'     # character; 1'000 is a number""",
        re.DOTALL | re.VERBOSE,
    )

    def blank(match: re.Match) -> str:
        text = match.group()
        if text[0] != "/" and keep_strings:
            return text
        inside = re.sub(r"[^\n]", " ", text)
        return inside if text[0] == "/" else text[0] + inside[1:-1] + text[-1]

    return pattern.sub(blank, source)


def local_includes(source: str) -> list[str]:
    """The names in ``#include "..."`` lines."""
    code = mask(source, keep_strings=True)
    return re.findall(r'^[ \t]*#[ \t]*include[ \t]*"([^"]+)"', code, re.MULTILINE)


def split(text: str, code: str, angle: bool = False) -> list[str]:
    """Split at commas that stand in no bracket (with ``angle``, in no template argument list either)."""
    parts, depth, start = [], 0, 0
    for i, c in enumerate(code):
        if c in OPEN or (angle and c == "<"):
            depth += 1
        elif c in CLOSE or (angle and c == ">"):
            depth -= 1
        elif c == "," and depth == 0:
            parts.append(text[start:i])
            start = i + 1
    parts.append(text[start:])
    return parts if any(p.strip() for p in parts) else []


def with_includes(path: Path, folders: Sequence[Path] = ()) -> list[Path]:
    """A file, and every file that it includes, directly or through another.

    Args:
        path: the file.
        folders: where ``#include`` looks beside the folder of the file that says ``#include "..."``.
    """
    found, todo = [], [path]
    while todo:
        file = todo.pop()
        if file not in found:
            found.append(file)
            todo += _included(file, folders)
    return found


def _included(file: Path, folders: Sequence[Path]) -> Iterator[Path]:
    code = mask(file.read_text(), keep_strings=True)
    for quote, name in re.findall(r'^[ \t]*#[ \t]*include[ \t]*(["<])([^">\n]+)[">]', code, re.MULTILINE):
        for folder in [file.parent, *folders] if quote == '"' else folders:
            if (place := folder / name).is_file():
                yield Path(os.path.normpath(place))
                break
