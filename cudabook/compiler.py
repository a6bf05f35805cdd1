"""Running compilers: several commands at once, and the first error first."""

import logging
import os
import re
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from .errors import BuildError


def run(command: list[str], what: str) -> None:
    """Run one compiler command.

    Raises:
        BuildError: it failed; the message is ``what`` and the first error with the lines that belong to it.
    """
    try:
        done = subprocess.run(command, capture_output=True, text=True, errors="replace")
    except FileNotFoundError:
        raise BuildError(f"{what}: the program '{command[0]}' was not found. Install it or put it on PATH.") from None
    if done.returncode != 0:
        raise BuildError(f"{what}:\n{first_error(done.stderr + done.stdout, done.returncode)}")


def run_all(commands: list[tuple[list[str], str]]) -> None:
    """Run commands side by side, as many as there are cores; the first failure is raised."""
    with ThreadPoolExecutor(max_workers=max(1, len(os.sched_getaffinity(0)))) as pool:
        for future in [pool.submit(run, *c) for c in commands]:
            future.result()


def cpp_extension():
    """The module torch.utils.cpp_extension, without its warning that no GPU is visible."""
    logger = logging.getLogger("torch.utils.cpp_extension")
    level = logger.level
    logger.setLevel(logging.ERROR)
    try:
        from torch.utils import cpp_extension
    finally:
        logger.setLevel(level)
    return cpp_extension


def first_error(output: str, returncode: int = 1) -> str:
    """The first error in a compiler's output, with its source line; killed compilers are named as such."""
    if returncode in (-9, 137) or "Killed signal terminated program" in output:
        return "the compiler was killed, most likely for lack of memory. Set MAX_JOBS=1 or close other programs."
    lines = output.splitlines()
    for i, line in enumerate(lines):
        if re.search(r"\b(?:fatal )?error\b\s*[:#]|: error[: ]|undefined (?:reference|symbol)", line):
            end = i + 1
            while end < len(lines) and end < i + 4 and re.match(r"\s", lines[end]):
                end += 1
            return "\n".join(lines[i:end])
    return "\n".join(lines[-10:]) or f"the compiler ended with status {returncode} and said nothing."


def replace_atomically(temporary: Path, final: Path) -> None:
    """Put a finished file in place: another process sees the old one, the new one, or none, never a part."""
    os.replace(temporary, final)
