"""The child process of a check: runs one check file with pytest and reports test by test.

What it reports goes to a file, a JSON object a line, each signed with a key that only the parent and this process
know: code under check can print or write what it likes, and end the process, but not speak for the checks.
"""

import ctypes
import json
import os
import resource
import signal
import sys
from pathlib import Path

import pytest

from . import table
from .mistake import Mistake
from .report import sign

PR_SET_PDEATHSIG = 1  # linux/prctl.h: the signal that this process gets when its parent dies
ANSWER = "CUDABOOK_ANSWER"  # names the file under check where it is not the learner's usual one


def needs_gpu(test):
    """Marks a check that means something on a GPU only. The fixture ``answer`` skips it on the emulator."""
    test.needs_gpu = True
    return test


@pytest.fixture
def answer(request):
    """The answer under check, one for all checks of a file: what its ``ANSWER`` makes of the path and the name."""
    module = request.module
    if not hasattr(module, "cudabook_answer"):
        name = module.__name__.removeprefix("test_")
        path = Path(os.environ[ANSWER]) if ANSWER in os.environ else table.find(name)
        module.cudabook_answer = module.ANSWER(path, name)
    if getattr(request.function, "needs_gpu", False) and module.cudabook_answer.target != "cuda":
        pytest.skip(table.NEEDS_GPU)
    return module.cudabook_answer


class Reporter:
    """A pytest plugin that writes what happens to the report file."""

    def __init__(self, path: str, key: str):
        self._file = open(path, "a", buffering=1)  # noqa: SIM115 (open until the process ends)
        self._key, self._lines = key, 0

    def write(self, event: str, **what) -> None:
        text = json.dumps({"event": event, **what})
        self._file.write(f"{sign(self._key, self._lines, text)} {text}\n")
        self._lines += 1

    def pytest_runtest_logstart(self, nodeid):
        self.write("start", test=nodeid.rpartition("::")[2])

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self, item, call):
        report = yield
        if report.passed and call.when != "call":
            return report
        what = {"test": item.name, "outcome": report.outcome}
        if report.failed:
            error = call.excinfo.value
            known = isinstance(error, Mistake)
            what |= {
                "name": error.name if known else "check-error",
                "sentence": error.sentence if known else f"The check itself stopped: {call.excinfo.exconly()}",
                "details": error.details if known else str(report.longrepr).splitlines()[-12:],
            }
        elif report.skipped:
            what["reason"] = report.longrepr[2].removeprefix("Skipped: ")
        self.write("result", **what)
        return report

    def pytest_collectreport(self, report):
        if report.failed:
            self.write("broken", text=str(report.longrepr))

    def pytest_internalerror(self, excrepr):
        self.write("broken", text=str(excrepr))


def main() -> None:
    """Run the check that is described on stdin and report it."""
    task = json.load(sys.stdin)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)  # whoever watches may be killed
    os.environ[ANSWER] = task["answer"]
    from .. import default_target

    reporter = Reporter(task["report"], task["key"])
    reporter.write("target", target=default_target())
    arguments = [
        "-x",
        "-s",
        "-c",
        os.devnull,
        "--rootdir",
        str(Path(task["check"]).parent),
        "-p",
        "no:cacheprovider",
        "-p",
        "no:terminal",
        "-p",
        "no:faulthandler",
        task["check"],
    ]
    pytest.main(arguments, plugins=[reporter])
    reporter.write("done")
    sys.stdout.flush()
    os._exit(0)  # without the destructors of what was loaded


if __name__ == "__main__":
    main()
