"""CUDA that the emulator does not run: each source in ``refused`` ends in a sentence that names its line."""

import re
import subprocess

import pytest

from cudabook import cuda, features

REFUSED = features.refused()


@pytest.mark.parametrize("path", REFUSED, ids=lambda path: path.stem)
def test_refusal_names_the_line_and_says_why(path):
    lines = path.read_text().splitlines()
    assert lines[0].startswith("// ") and lines[0].endswith(".")
    [marked] = [number for number, line in enumerate(lines, 1) if line.endswith("  // here")]
    place, _, sentence = features.refusal(path).partition(": ")
    assert place == f"{path.name}:{marked}"
    assert sentence.endswith(".") and len(sentence.split()) >= 6 and str(path.parent) not in sentence


@pytest.mark.parametrize("path", REFUSED, ids=lambda path: path.stem)
def test_nvcc_takes_it(path, tmp_path, monkeypatch):
    if why := cuda.toolchain_problem():
        pytest.skip(why)
    monkeypatch.setenv("TORCH_CUDA_ARCH_LIST", "9.0")
    command = [str(cuda.toolkit() / "bin" / "nvcc"), *cuda.NVCC_FLAGS, *cuda._gencode(), "-rdc=true", "-c", str(path)]
    done = subprocess.run([*command, "-o", str(tmp_path / "x.o")], capture_output=True, text=True)
    if missing := re.search(r"fatal error: (\S+): No such file", done.stderr):
        pytest.skip(f"there is no {missing[1]} here")
    assert done.returncode == 0, done.stderr


def test_each_library_that_the_translator_knows_is_here():
    included = "\n".join(path.read_text() for path in REFUSED)
    for header in ("cub/", "thrust/", "cutlass/", "cute/", "cuda/"):
        assert f"#include <{header}" in included


def test_a_source_that_runs_is_no_refusal(tmp_path):
    path = tmp_path / "fine.cu"
    path.write_text("""#include <cuda_runtime.h>
__global__ void kernel(float* x) { x[threadIdx.x] = 1; }
extern "C" void run(float* x) { kernel<<<1, 64>>>(x); }
""")
    with pytest.raises(RuntimeError, match=r"runs fine.cu: it is no longer refused"):
        features.refusal(path)
