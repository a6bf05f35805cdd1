"""Runs the check of an exercise in a child process with limits, and makes a verdict of whatever happens there."""

import ast
import contextlib
import json
import os
import secrets
import signal
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path

import psutil

from ..progress import progress
from . import report, table
from .mistake import Mistake
from .verdict import Row, Verdict


@dataclass(frozen=True)
class Limits:
    """What the code under check may take.

    Attributes:
        seconds: time for one check.
        build_seconds: time for the first check, which starts Python and torch and compiles.
        memory: bytes of memory of the child and its own children together.
        output: bytes that may be printed.
    """

    seconds: float = 20.0
    build_seconds: float = 180.0
    memory: int = field(default_factory=lambda: min(6 << 30, psutil.virtual_memory().available * 7 // 10))
    output: int = 1 << 20


def check(name: str, file: Path | None = None, limits: Limits | None = None) -> Verdict:
    """Check a learner's answer to an exercise.

    Args:
        name: the exercise.
        file: what is checked; by default the learner's, see :func:`cudabook.checking.table.find`.
        limits: what the code may take.

    Returns:
        The verdict. Whatever the code does, even if it ends or hangs its process, is a verdict.

    Raises:
        LabError: there is no such exercise.
    """
    exercise = table.exercise(name)
    limits = limits or Limits(seconds=exercise.seconds)
    file, start = Path(file or table.find(name)).absolute(), time.monotonic()
    rows, gpu_only = checks_of(exercise.check)
    verdict = Verdict(name, _short(file), "", rows)
    with progress(f"checking {name}"), tempfile.TemporaryDirectory(prefix="cudabook-check-") as folder:
        child = _Child(exercise.check, file, Path(folder), limits)
        child.watch()
    try:
        _judge(verdict, gpu_only, child)
    except Mistake as mistake:
        verdict.mistake, verdict.sentence, verdict.details = mistake.name, mistake.sentence, mistake.details
    verdict.printed, verdict.seconds = child.printed(), time.monotonic() - start
    if verdict.passed:
        verdict.advice = f"Compare it with solutions/{exercise.lab}.md."
    else:
        verdict.advice = f'For a hint: hint("{name}") in a notebook, cudabook hint {name} in a terminal.'
    return verdict


def checks_of(path: Path) -> tuple[list[Row], set[str]]:
    """The checks that a check file defines, read without running it, and the names of those that need a GPU."""
    functions = [
        f for f in ast.parse(path.read_text()).body if isinstance(f, ast.FunctionDef) and f.name.startswith("test_")
    ]
    gpu_only = {
        f.name for f in functions if any(isinstance(d, ast.Name) and d.id == "needs_gpu" for d in f.decorator_list)
    }
    return [Row(f.name, ast.get_docstring(f) or f.name) for f in functions], gpu_only


def _short(file: Path) -> Path:
    with contextlib.suppress(ValueError):
        return file.relative_to(Path.cwd())
    return file


class _Child:
    """One child process, watched until it ends or is ended."""

    def __init__(self, check: Path, file: Path, folder: Path, limits: Limits):
        self.limits, self.report, self.key = limits, folder / "report", secrets.token_hex(16)
        self.report.touch()
        self.events: list[dict] = []
        self.stopped = ""  # 'time', 'memory' or 'output', where a limit ended it
        self._output, self._printed = bytearray(), 0
        path = os.pathsep.join(filter(None, [str(table.ROOT), os.environ.get("PYTHONPATH")]))
        environment = os.environ | {
            "PYTHONPATH": path,
            "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
            "PYTHONDONTWRITEBYTECODE": "1",
            "CUDABOOK_PROGRESS": "0",
        }
        environment.pop("PYTEST_ADDOPTS", None)
        self.process = subprocess.Popen(
            [sys.executable, "-m", "cudabook.checking.child"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            cwd=folder,
            env=environment,
            start_new_session=True,
        )
        task = {"report": str(self.report), "key": self.key, "check": str(check), "answer": str(file)}
        with contextlib.suppress(BrokenPipeError):
            self.process.stdin.write(json.dumps(task).encode())
            self.process.stdin.close()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        while chunk := self.process.stdout.read1(1 << 16):
            self._printed += len(chunk)
            self._output += chunk
            del self._output[: -(1 << 16)]

    def watch(self) -> None:
        """Wait for the end, and see to it that nothing of the child outlives this."""
        processes = {self.process.pid: psutil.Process(self.process.pid)}
        try:
            since, seen = time.monotonic(), 0
            while self.process.poll() is None and not self.stopped:
                time.sleep(0.02)
                self._read_report()
                if len(self.events) > seen:
                    since, seen = time.monotonic(), len(self.events)
                self._enforce(time.monotonic() - since, processes)
        finally:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self.process.pid, signal.SIGKILL)
            for process in processes.values():
                with contextlib.suppress(psutil.Error):
                    process.kill()  # psutil knows a process that got an old one's number
            self.process.wait()
            self._reader.join(timeout=2)
            self._read_report()

    def _enforce(self, seconds: float, processes: dict) -> None:
        memory = 0
        with contextlib.suppress(psutil.Error):
            for process in processes[self.process.pid].children(recursive=True):
                processes.setdefault(process.pid, process)
        for process in processes.values():
            with contextlib.suppress(psutil.Error):
                memory += process.memory_info().rss
        building = not any(e["event"] == "result" for e in self.events)
        if seconds > (self.limits.build_seconds if building else self.limits.seconds):
            self.stopped = "time"
        elif memory > self.limits.memory:
            self.stopped = "memory"
        elif self._printed > self.limits.output:
            self.stopped = "output"

    def _read_report(self) -> None:
        with contextlib.suppress(OSError):
            events = report.read(self.key, self.report.read_text(errors="replace"))
            if len(events) > len(self.events):  # a report that was cut off does not undo what it said
                self.events = events

    def printed(self) -> str:
        """The last lines that were printed."""
        return "\n".join(self._output.decode(errors="replace").splitlines()[-10:])


def _judge(verdict: Verdict, gpu_only: set[str], child: _Child) -> None:
    """Fill in the rows. Raises the first Mistake."""
    rows = {row.name: row for row in verdict.rows}
    done = any(e["event"] == "done" for e in child.events)
    verdict.target = next((e["target"] for e in child.events if e["event"] == "target"), "")
    running = None
    mistake = None
    for event in child.events:
        row = rows.get(event.get("test", ""))
        if event["event"] == "broken":
            raise Mistake("check-error", "The check itself cannot run.", *event["text"].splitlines()[-12:])
        if event["event"] == "start":
            running = row
        elif event["event"] == "result":
            running = None
            allowed = event.get("reason") == table.NEEDS_GPU and event["test"] in gpu_only
            row.outcome = {"passed": "passed", "failed": "failed"}.get(
                event["outcome"], "not here" if allowed else "failed"
            )
            if row.outcome == "failed" and mistake is None:
                mistake = Mistake(
                    event.get("name", "skipped"),
                    event.get("sentence", "A check was skipped."),
                    *event.get("details", []),
                )
    if child.stopped or not done:
        if running:
            running.outcome = "failed"
        raise _ended(child, running)
    if mistake:
        raise mistake
    missing = [row.title for row in verdict.rows if row.outcome == "not reached"]
    if missing or not any(row.outcome == "passed" for row in verdict.rows):
        raise Mistake("incomplete", f"Checks did not report: {', '.join(missing)}.")
    if verdict.target == "cuda" and any(row.outcome == "not here" for row in verdict.rows):
        raise Mistake("skipped", "A check that needs a GPU was skipped although there is one.")


def _ended(child: _Child, running: Row | None) -> Mistake:
    """The mistake of code that ended, or had to be ended, with its process."""
    during = f"during the check “{running.title}”" if running else "before the first check"
    limits, code = child.limits, child.process.returncode
    if child.stopped == "time":
        return Mistake(
            "timeout",
            f"Ran longer than {limits.seconds:g} s {during}: does a loop never end? Look at its "
            "condition and at its step.",
        )
    if child.stopped == "memory":
        return Mistake("out-of-memory", f"Took more than {limits.memory / 2**30:.1f} GiB of memory {during}.")
    if child.stopped == "output":
        return Mistake(
            "too-much-output",
            f"Printed more than {limits.output / 2**20:g} MB {during}: print from one "
            "thread only, as in if (threadIdx.x == 0 && blockIdx.x == 0).",
        )
    if code == -signal.SIGKILL:
        return Mistake("killed", f"The process was killed by the system {during}, most likely for lack of memory.")
    if code < 0:
        return Mistake(
            "crashed",
            f"The process died with {signal.Signals(-code).name} {during}: the launcher's own code "
            "went wrong, on the CPU.",
        )
    return Mistake(
        "process-ended",
        f"Your code ended the process (exit status {code}) {during}: a launcher returns, it never exits.",
    )
