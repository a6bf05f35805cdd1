"""Layout, length and portability of the project's own files."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
CPP = {".cpp", ".h", ".cu", ".cuh"}
TEXT = CPP | {".py", ".md", ".sh", ".yml", ".toml", ".json", ".css", ".svg", ".txt"}
LONGEST = {".md": 1000} | dict.fromkeys(CPP | {".py", ".sh"}, 400)
# A folder that exists on one machine only. Not /tmp or /usr, and not a relative path such as labs/work/.
HOME_PATH = re.compile(r"(?<![\w.~}*/-])/(?:work|root|home|Users)/\w")
PLACEHOLDER = re.compile(
    r"https?://[\w./-]*(?:example\.(?:com|org|net)|your-?(?:org|name|domain|user)|username|placeholder)", re.I
)


def project_files():
    """The files that are committed or would be."""
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"], cwd=ROOT, capture_output=True, text=True
    )
    if listed.returncode:
        pytest.skip(f"this is no git checkout: {listed.stderr.strip()}", allow_module_level=True)
    return [ROOT / name for name in listed.stdout.splitlines() if (ROOT / name).is_file()]


FILES = project_files()
SELF = Path(__file__)


def run(*command):
    result = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert result.returncode == 0, result.stdout + result.stderr


def test_ruff():
    run(sys.executable, "-m", "ruff", "check", ".")


def test_clang_format():
    folders = (ROOT / "csrc", ROOT / "cudabook" / "emulator")
    files = [str(path) for path in FILES if path.suffix in CPP and any(path.is_relative_to(f) for f in folders)]
    assert files
    run(str(Path(sys.executable).with_name("clang-format")), "--dry-run", "-Werror", *files)


def test_no_file_is_too_long():
    lengths = {
        str(path.relative_to(ROOT)): (len(path.read_text().splitlines()), LONGEST[path.suffix])
        for path in FILES
        if path.suffix in LONGEST
    }
    too_long = {name: length for name, (length, most) in lengths.items() if length > most}
    assert not too_long, "split these files: 400 lines of code or 1000 of a page are the most"


@pytest.mark.parametrize("pattern", [HOME_PATH, PLACEHOLDER], ids=["home path", "placeholder address"])
def test_nothing_points_to_one_machine_or_nowhere(pattern):
    found = [
        f"{path.relative_to(ROOT)}:{number}: {line.strip()[:100]}"
        for path in FILES
        if path != SELF and (path.suffix in TEXT or path.name in ("Makefile", "run"))
        for number, line in enumerate(path.read_text().splitlines(), 1)
        if pattern.search(line)
    ]
    assert not found
