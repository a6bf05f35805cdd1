"""What programs print: device printf, and which errors stay. Each runs in a process of its own."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

SOURCE = Path(__file__).parent / "cu" / "output.cu"


def lines_of(target: str, call: str) -> list[str]:
    """What a new process prints that loads the source as ``op`` and makes the call; a CudaError is printed too."""
    code = f"""
import cudabook, torch
op = cudabook.load({str(SOURCE)!r}, {target!r})
try:
    {call}
except cudabook.CudaError as error:
    print("raised", error.name, error.report.splitlines()[0] if error.report else "")
"""
    # On a GPU a launch returns before the kernel has run; the emulator is as a GPU with this variable set.
    environment = os.environ | {"CUDA_LAUNCH_BLOCKING": "1", "CUDABOOK_PROGRESS": "0"}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment, timeout=300)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


@pytest.mark.feature("Errors and output", "`printf` in a kernel")
def test_device_printf(target, device):
    lines = lines_of(target, f"op.say(torch.arange(32.0, device={device!r}) / 4); torch.cuda.is_available() and "
                             "torch.cuda.synchronize()")
    wanted = {f"block ({x}, {y}) thread {t}: x = {t / 4:.2f} {'late' if t > 16 else 'early'}"
              for x in (0, 1) for y in (0, 1) for t in (3, 19)}
    assert set(lines) == wanted and len(lines) == 8


@pytest.mark.feature("Errors and output", "the error of a refused launch is gone once it was read")
def test_refused_launch_is_forgotten_once_read(target):
    name = "cudaErrorInvalidValue"
    lines = lines_of(target, "op.go_wrong(0)")
    assert lines == [f"peek: {name}", "synchronize: cudaSuccess", f"first: {name}", "second: cudaSuccess",
                     "copy: cudaSuccess", "allocate: cudaSuccess", "launch: cudaSuccess"]


@pytest.mark.feature(
    "Errors and output",
    "the error of a kernel that went wrong stays: illegal address, `assert`, `__trap`",
)
@pytest.mark.parametrize("which, name", [
    (1, "cudaErrorIllegalAddress"), (2, "cudaErrorAssert"), (3, "cudaErrorLaunchFailure"),
])
def test_fault_in_a_kernel_stays(target, which, name):
    lines = [line for line in lines_of(target, f"op.go_wrong({which})") if "Assertion" not in line]
    calls = ["peek", "synchronize", "first", "second", "copy", "allocate", "launch"]
    names = [name] * 3 + ["cudaSuccess"] + [name] * 3  # reading it forgets it; the next call brings it back
    assert lines[:7] == [f"{call}: {name}" for call, name in zip(calls, names, strict=True)]
    assert lines[7].startswith(f"raised {name}")


def test_emulator_works_again_after_the_exception():
    call = ("op.go_wrong(1)\n"
            "except cudabook.CudaError:\n"
            "    op.say(torch.ones(32))\n"
            "try: pass")
    assert lines_of("emulator", call)[-1].startswith("block (1, 1) thread 19")


def test_assertion_names_condition_line_block_and_thread():
    line = next(i for i, text in enumerate(SOURCE.read_text().splitlines(), 1) if "assert(n" in text)
    report = lines_of("emulator", "op.go_wrong(2)")[-1]
    assert "n + int(threadIdx.x) < 5" in report and f"output.cu:{line}" in report
    assert "thread (5, 0, 0) of block (0, 0, 0)" in report
