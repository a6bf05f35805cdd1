"""Which CUDA the emulator runs: the tests that are marked as features, run and laid out as a table.

A test in ``tests/`` that shows a feature carries ``@pytest.mark.feature("Group", "what it shows")``, with CUDA's names
in backquotes. Its kernels are a source in ``tests/cu``. One that takes the fixture ``target`` runs on a GPU as well.
``tests/refused`` holds sources that are right CUDA and that the emulator refuses.
"""

import html
import inspect
import json
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from . import build, cuda, records
from .emulator.text import with_includes
from .errors import BuildError, CudaError, TargetError
from .progress import progress

TESTS = build.ROOT / "tests"
# The groups, in the order of the table.
GROUPS = ("Launches", "Memory", "Shared memory", "Warps", "Tensor cores", "Cooperative groups", "Atomics", "Numbers",
          "Streams and devices", "Libraries", "Errors and output", "Faults that end as a report")  # fmt: skip


def marked_files(folder: Path = TESTS) -> list[Path]:
    """The test files with features in them."""
    return [p for p in sorted(folder.glob("test_*.py")) if re.search(r"^@pytest\.mark\.feature\(", p.read_text(), re.M)]


def source_files(folder: Path = TESTS) -> list[Path]:
    """What the table depends on beside the emulator: the marked tests and the CUDA sources that they load."""
    sources = {file for path in (folder / "cu").glob("*.cu") for file in with_includes(path)}
    return [*marked_files(folder), folder / "conftest.py", *sorted(sources)]


def run(target: str = "emulator", folder: Path = TESTS) -> list[dict]:
    """Run the tests of features, in two processes of their own, since compilers take most of the time.

    Args:
        target: 'emulator' or 'cuda'; a test that does not take the fixture ``target`` runs on the emulator only.
        folder: where the tests are.

    Returns:
        For each feature, in the order of :data:`GROUPS`: ``group``, ``feature``, ``sources`` (names of files in
        ``tests/cu``, or else of the test file), ``both`` (whether it runs on a GPU as well), ``cases``, ``passed`` and
        ``skipped``.

    Raises:
        RuntimeError: the tests did not run to their end. Their output is in the message.
    """
    files = marked_files(folder)
    with ThreadPoolExecutor(2) as pool, progress(f"running the tests of features on {target}"):
        halves = pool.map(lambda half: _run_apart(target, half), (files[::2], files[1::2]))
        rows = [row for half in halves for row in half]
    return sorted(rows, key=lambda row: (GROUPS.index(row["group"]), row["sources"]))


def _run_apart(target: str, files: list[Path]) -> list[dict]:
    """The rows of some test files, from a process of their own."""
    if not files:
        return []
    with tempfile.NamedTemporaryFile(suffix=".json") as out:
        command = [sys.executable, "-m", "cudabook.features", target, out.name, *map(str, files)]
        done = subprocess.run(command, capture_output=True, text=True, cwd=build.ROOT)
        rows = Path(out.name).read_text()
    if not rows:
        output = (done.stdout + done.stderr)[-4000:]
        raise RuntimeError(f"The tests of features did not run to their end:\n{output}")
    return json.loads(rows)


def measure() -> records.Record:
    """Run them on the GPU at hand.

    Raises:
        TargetError: there is no GPU, or its sources cannot be compiled here.
    """
    if why := cuda.problem():
        raise TargetError(f"The tests of features cannot run on a GPU: {why}.")
    return records.Record("features", run("cuda"), records.stamp(), records.sources_digest("features"), live=True)


def on_gpu() -> records.Record | None:
    """What a GPU said: now if there is one, else the newest record, or None if there is none."""
    if cuda.problem() is None:
        return measure()
    try:
        return records.recall("features")
    except FileNotFoundError:
        return None


class Table:
    """The features as an HTML table, which a notebook shows; ``str()`` gives the same as text.

    Args:
        rows: of :func:`run`.
        gpu: a record of the same tests on a GPU; without one there is no column for it.
    """

    def __init__(self, rows: list[dict], gpu: records.Record | None = None):
        self.rows, self.gpu = rows, gpu

    def _outcomes(self, row: dict) -> list[str]:
        outcomes = [_outcome(row)]
        if self.gpu:
            same = self.gpu.select(group=row["group"], feature=row["feature"])
            outcomes.append(_outcome(same[0]) if same else "not recorded" if row["both"] else "not run there")
        return outcomes

    def _repr_html_(self) -> str:
        heads = ["emulator", *(["GPU"] if self.gpu else [])]
        lines = ['<table class="features">', "<thead><tr>", '<th>feature</th><th class="source">source</th>',
                 *(f"<th>{head}</th>" for head in heads), "</tr></thead>", "<tbody>"]  # fmt: skip
        group = ""
        for row in self.rows:
            if row["group"] != group:
                group = row["group"]
                lines.append(f'<tr><th colspan="{2 + len(heads)}">{html.escape(group)}</th></tr>')
            feature = re.sub("`(.+?)`", r"<code>\1</code>", html.escape(row["feature"]))
            sources = "<br>".join(map(html.escape, row["sources"]))
            outcomes = "".join(f"<td>{outcome}</td>" for outcome in self._outcomes(row))
            lines.append(f'<tr><td>{feature}</td><td class="source">{sources}</td>{outcomes}</tr>')
        return "\n".join([*lines, "</tbody>", "</table>"])

    def __str__(self) -> str:
        return "\n".join(f"{row['group']}: {row['feature'].replace('`', '')} ({', '.join(row['sources'])}): "
                         + ", ".join(self._outcomes(row)) for row in self.rows)  # fmt: skip


def _outcome(row: dict) -> str:
    ran = row["cases"] - row["skipped"]
    return f"{row['passed']} of {ran}" + (f", {row['skipped']} skipped" if row["skipped"] else "")


def refused(folder: Path = TESTS / "refused") -> list[Path]:
    """The sources that are right CUDA and that the emulator refuses."""
    return sorted(folder.glob("*.cu"))


def refusal(path: Path) -> str:
    """Why the emulator does not run a source with ``extern "C" void run(float*)``: "file:line: sentence".

    Raises:
        RuntimeError: it runs.
    """
    import torch

    try:
        build.load(path, target="emulator").run(torch.zeros(64))
    except (BuildError, CudaError) as error:
        message = str(error)
    else:
        raise RuntimeError(f"The emulator runs {path.name}: it is no longer refused.")
    named = re.search(rf"{re.escape(path.name)}:\d+", message)
    place = named[0] if named else path.name
    sentence = re.sub(rf"^.*{re.escape(place)}\)?: ", "", message.splitlines()[-1])
    return f"{place}: {sentence}"


class _Watch:
    """A pytest plugin: keeps the features of one target, and counts their outcomes."""

    def __init__(self, target: str):
        self.target = target
        self.rows: dict[tuple, dict] = {}
        self.row_of: dict[str, dict] = {}

    def pytest_collection_modifyitems(self, config, items):
        kept = []
        for item in items:
            mark = item.get_closest_marker("feature")
            params = item.callspec.params if hasattr(item, "callspec") else {}
            if not mark or params.get("target", "emulator") != self.target:
                continue
            group, feature = mark.args
            if group not in GROUPS:
                raise ValueError(f"{item.nodeid}: the group is '{group}', expected one of {', '.join(GROUPS)}.")
            fresh = {"group": group, "feature": feature, "sources": _sources(item), "both": "target" in params,
                     "cases": 0, "passed": 0, "skipped": 0}  # fmt: skip
            row = self.row_of[item.nodeid] = self.rows.setdefault((group, feature), fresh)
            row["cases"] += 1
            kept.append(item)
        items[:] = kept

    def pytest_runtest_logreport(self, report):
        row = self.row_of[report.nodeid]
        if report.skipped:
            row["skipped"] += 1
        elif report.when == "call" and report.passed:
            row["passed"] += 1


def _sources(item) -> list[str]:
    """The files in ``cu`` that a test names, or else its module; or the test's own file, if it writes its source."""
    folder = Path(item.path).parent / "cu"
    for text in (inspect.getsource(item.function), Path(item.path).read_text()):
        if names := sorted(set(re.findall(r"\w+\.cu\b", text))):
            return [name for name in names if (folder / name).is_file()] or [Path(item.path).name]
    return [Path(item.path).name]


def _main(target: str, out: str, *files: str) -> int:
    import pytest

    watch = _Watch(target)
    status = pytest.main(["-q", "-p", "no:cacheprovider", *files], plugins=[watch])
    if status in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED):
        Path(out).write_text(json.dumps(list(watch.rows.values())))
    return int(status)


if __name__ == "__main__":
    sys.exit(_main(*sys.argv[1:]))
