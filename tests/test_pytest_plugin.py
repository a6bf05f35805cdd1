"""The fixture cuda_sanitizer, and the command cudabook sanitize, each as a user runs it."""

import json
import subprocess
import sys
from importlib.metadata import entry_points

import pytest

SOURCE = """#include <cuda_runtime.h>
__global__ void kernel(float* x, int n) {
    x[n] = 1;
}
extern "C" void run(float* x, int n) { kernel<<<1, 1>>>(x, n); }
"""
TEST = """import torch, cudabook
def test_it(cuda_sanitizer):
    cudabook.load("kernel.cu", target="emulator").run(torch.zeros(4), INDEX)
"""
SCRIPT = """import sys, torch, cudabook
cudabook.load("kernel.cu").run(torch.zeros(4), int(sys.argv[1]))
print("done")
"""


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "kernel.cu").write_text(SOURCE)
    return tmp_path


@pytest.mark.parametrize("index, passes", [(3, True), (4, False)])
def test_fixture(folder, index, passes):
    (folder / "test_it.py").write_text(TEST.replace("INDEX", str(index)))
    installed = any(e.value == "cudabook.pytest_plugin" for e in entry_points(group="pytest11"))
    command = [sys.executable, "-m", "pytest", "-q", *([] if installed else ["-p", "cudabook.pytest_plugin"])]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    assert (done.returncode == 0) == passes, done.stdout + done.stderr
    assert ("store out of bounds" in done.stdout and "kernel.cu:3" in done.stdout) != passes


@pytest.mark.parametrize("index, status", [(3, 0), (4, 1)])
def test_command(folder, index, status):
    (folder / "script.py").write_text(SCRIPT)
    command = [sys.executable, "-m", "cudabook", "sanitize", "--json", "found.json", "script.py", str(index)]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    assert done.returncode == status, done.stdout + done.stderr
    found = json.loads((folder / "found.json").read_text())
    assert [(r["kind"], r["line"], r["name"], r["index"]) for r in found] == (
        [("store out of bounds", 3, "x", 4)] if status else [])
    assert ("no findings" in done.stdout) == (status == 0)
