"""Every CUDA source that the tests and pages run on the emulator is CUDA: nvcc compiles it. Needs nvcc, but no GPU."""

import re
import subprocess
from pathlib import Path

import pytest

from cudabook import cuda

ROOT = Path(__file__).parent.parent
SOURCES = [path for folder in ("tests", "chapters", "benchmarks") for path in (ROOT / folder / "cu").glob("*.cu")]


@pytest.mark.parametrize("source", sorted(SOURCES), ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_nvcc_compiles(source, tmp_path, monkeypatch):
    if why := cuda.toolchain_problem():
        pytest.skip(why)
    monkeypatch.setenv("TORCH_CUDA_ARCH_LIST", "9.0")
    command = [str(cuda.toolkit() / "bin" / "nvcc"), *cuda.NVCC_FLAGS, *cuda._gencode(), "-c", str(source),
               "-o", str(tmp_path / "x.o")]
    done = subprocess.run(command, capture_output=True, text=True)
    if missing := re.search(r"fatal error: (\S+): No such file", done.stderr):
        pytest.skip(f"this toolkit has no {missing[1]}")
    assert done.returncode == 0, done.stderr
