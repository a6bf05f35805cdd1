"""The switch of stacks by itself: this machine's assembly, the portable form, and AArch64 under qemu."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

RUNTIME = Path(__file__).parent.parent / "cudabook" / "emulator" / "runtime"
PROGRAM = Path(__file__).parent / "fiber_main.cpp"


def build_and_run(tmp_path, compiler: str, flags: list[str], runner: list[str]) -> str:
    program = tmp_path / "fiber"
    subprocess.run([compiler, "-std=c++20", "-O2", *flags, "-I", str(RUNTIME), str(PROGRAM), str(RUNTIME / "fiber.cpp"),
                    "-o", str(program)], check=True)
    return subprocess.run([*runner, str(program)], check=True, capture_output=True, text=True).stdout


@pytest.mark.parametrize("flags", [[], ["-DCUDABOOK_PORTABLE_FIBERS"]], ids=["assembly", "portable"])
def test_switch(tmp_path, flags):
    assert build_and_run(tmp_path, "g++", flags, []) == "ok 300000 switches\n"


def test_switch_on_aarch64(tmp_path):
    compiler, emulator = shutil.which("aarch64-linux-gnu-g++"), shutil.which("qemu-aarch64")
    if not (compiler and emulator):
        if os.environ.get("CI"):
            pytest.fail("aarch64-linux-gnu-g++ and qemu-aarch64 must be there (apt: g++-aarch64-linux-gnu qemu-user)")
        pytest.skip("needs the apt packages g++-aarch64-linux-gnu and qemu-user")
    assert build_and_run(tmp_path, compiler, ["-static"], [emulator]) == "ok 300000 switches\n"
