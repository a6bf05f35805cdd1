"""load: what is rebuilt when, two builds in one process, and what can be wrong with a machine."""

import os
import shutil
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
import torch

import cudabook
from cudabook import build, cache, compiler, cuda
from cudabook.emulator import build as emulator

ROOT = Path(__file__).parent.parent
KERNEL = """#include <cuda_runtime.h>
__global__ void fill_kernel(float* out, int n) {{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = {value};
}}
extern "C" void fill(float* out, int n, cudaStream_t stream) {{
    fill_kernel<<<(n + 63) / 64, 64, 0, stream>>>(out, n);
}}
"""


@pytest.fixture
def own_cache(tmp_path, monkeypatch):
    """An empty cache, so that everything is built."""
    monkeypatch.setenv("CUDABOOK_CACHE", str(tmp_path / "cache"))
    cache.folder.cache_clear()
    yield tmp_path / "cache"
    cache.folder.cache_clear()


@pytest.fixture
def commands(monkeypatch):
    """The compiler commands that are run, by what they were run for."""
    run, seen = compiler.run, []
    monkeypatch.setattr(compiler, "run", lambda command, what: (seen.append(what), run(command, what)))
    return seen


@pytest.fixture
def own_vector_add(tmp_path, monkeypatch):
    """A copy of csrc/vector_add, which is loaded in its place."""
    folder = tmp_path / "csrc" / "vector_add"
    shutil.copytree(ROOT / "csrc" / "vector_add", folder)
    monkeypatch.setattr(build, "CSRC", tmp_path / "csrc")
    return folder


def edit(path: Path, old: str, new: str) -> None:
    assert old in path.read_text()
    path.write_text(path.read_text().replace(old, new))


def filled_with(op) -> float:
    out = torch.full((100,), torch.nan, device=op.device)
    op.fill(out, 100)
    assert (out == out[0]).all()
    return out[0].item()


def bindings():
    names = sorted(p.name for p in build.CSRC.iterdir() if p.is_dir())
    return [(name, b) for name in names for b in ("torch", "pybind")
            if b == "torch" or (build.CSRC / name / "bindings_pybind.cpp").exists()]


@pytest.mark.skipif(cuda.toolchain_problem() is not None, reason=f"cannot compile CUDA: {cuda.toolchain_problem()}")
@pytest.mark.parametrize("name, binding", bindings())
def test_every_operator_compiles_for_gpus_that_are_not_here(monkeypatch, name, binding):
    monkeypatch.setenv("TORCH_CUDA_ARCH_LIST", "8.0;9.0a")
    assert cudabook.load(name, "cuda", binding).library.exists()  # compiled, linked, imported


def test_an_edited_file_runs_beside_its_older_self(tmp_path, target):
    """A12: the same cell run again with one changed line."""
    path = tmp_path / "fill.cu"
    path.write_text(KERNEL.format(value="1"))
    first = cudabook.load(path, target)
    path.write_text(KERNEL.format(value="2"))
    second = cudabook.load(path, target)
    assert filled_with(first) == 1 and filled_with(second) == 2 and filled_with(first) == 1
    assert cudabook.load(path, target) is second


def test_an_edited_operator_compiles_one_file_and_runs_beside_its_older_self(own_vector_add, commands):
    first = cudabook.load("vector_add", "emulator")
    edit(own_vector_add / "v1_plain.cu", "add(a[i], b[i])", "a[i]")
    commands.clear()
    start = time.monotonic()
    second = cudabook.load("vector_add", "emulator")
    assert time.monotonic() - start < 10
    assert [c for c in commands if ".cu" in c] == ["compiling v1_plain.cu for the emulator"]
    assert "compiling bindings.cpp" not in commands
    a, b = torch.randn(100), torch.randn(100)
    assert torch.equal(first.vector_add(a, b, 1), a + b)
    assert torch.equal(second.vector_add(a, b, 1), a)
    assert torch.equal(second.vector_add(a, b, 3), a + b)
    assert first.namespace != second.namespace
    commands.clear()
    cudabook.load("vector_add", "emulator")
    assert commands == []


def test_two_builds_of_a_pybind_module_live_side_by_side(own_vector_add, target):
    first = cudabook.load("vector_add", target, binding="pybind")
    edit(own_vector_add / "v1_plain.cu", "add(a[i], b[i])", "a[i]")
    second = cudabook.load("vector_add", target, binding="pybind")
    a, b = torch.randn(2, 100, device=first.device)
    assert torch.equal(second.vector_add(a, b), a) and torch.equal(first.vector_add(a, b), a + b)


def test_a_changed_header_rebuilds_what_includes_it(tmp_path):
    (tmp_path / "value.cuh").write_text("#pragma once\n#define VALUE 3\n")
    path = tmp_path / "fill.cu"
    path.write_text('#include "value.cuh"\n' + KERNEL.format(value="VALUE"))
    assert filled_with(cudabook.load(path, "emulator")) == 3
    (tmp_path / "value.cuh").write_text("#pragma once\n#define VALUE 4\n")
    assert filled_with(cudabook.load(path, "emulator")) == 4


def test_a_kernel_in_a_header_is_translated(tmp_path):
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "kernel.cuh").write_text(KERNEL.format(value="5").split("extern")[0])
    path = tmp_path / "fill.cu"
    path.write_text('#include "sub/kernel.cuh"\nextern' + KERNEL.format(value="5").split("extern")[1])
    assert filled_with(cudabook.load(path, "emulator")) == 5


def test_includes_are_found_in_other_folders_and_translated(tmp_path, monkeypatch):
    theirs = tmp_path / "their folder"
    (theirs / "kernels").mkdir(parents=True)
    kernel, launcher = KERNEL.format(value="VALUE").split('extern "C"')
    # Headers that include each other by way of their folders: named in two ways, they are the same files.
    (theirs / "kernels" / "fill.cuh").write_text('#pragma once\n#include "../kernels/value.h"\n' + kernel)
    (theirs / "kernels" / "value.h").write_text('#pragma once\n#include "../kernels/fill.cuh"\n#define VALUE 7\n')
    (theirs / "launch.cuh").write_text('extern "C"' + launcher.replace('extern "C"', ""))
    path = tmp_path / "mine" / "fill.cu"
    path.parent.mkdir()
    path.write_text('#include "kernels/fill.cuh"\n#include <launch.cuh>\nextern "C" void seven(float* out) '
                    "{ fill(out, 5, 0); }\n")
    op = cudabook.load(path, "emulator", include_paths=[theirs])
    out = torch.zeros(6)
    op.seven(out)
    assert out.tolist() == [7] * 5 + [0]
    with cudabook.sanitize() as found:
        op.seven(torch.zeros(4))
    assert [(r.file, r.line) for r in found] == [(str(theirs / "kernels" / "fill.cuh"), 6)], str(found)
    edit(theirs / "kernels" / "value.h", "7", "8")
    cudabook.load(path, "emulator", include_paths=[theirs]).seven(out)
    assert out[0] == 8


def test_cuda_runtime_is_included_as_nvcc_does(tmp_path):
    path = tmp_path / "fill.cu"
    path.write_text(KERNEL.format(value="1").replace("#include <cuda_runtime.h>", ""))
    out = torch.zeros(3)
    cudabook.load(path, "emulator").fill(out, 3)
    assert out.tolist() == [1, 1, 1]


def test_compiler_errors_name_the_users_line(tmp_path):
    path = tmp_path / "broken.cu"
    path.write_text(KERNEL.format(value="undeclared_name"))
    with pytest.raises(cudabook.BuildError, match=r"broken\.cu:4:\d+: error: .*undeclared_name") as caught:
        cudabook.load(path, "emulator")
    assert str(caught.value).count("error:") == 1


@pytest.mark.parametrize("line, place, words", [
    ("int n = cudaGraphicsMapResources(0);", "missing.cu:5", "does not have cudaGraphicsMapResources: run this"),
    ("x[0] = __nv_fast_nothing(1);", "missing.cu:5", "does not have __nv_fast_nothing"),
    ("#include <curand_kernel.h>", "missing.cu:5", "has the header curand_kernel.h"),
])
def test_what_the_emulator_lacks_is_said(tmp_path, line, place, words):
    source = tmp_path / "missing.cu"
    source.write_text(f'#include <cuda_runtime.h>\n__global__ void k(int*) {{}}\n'
                      f'extern "C" void run(int* x, cudaStream_t s) {{\nk<<<1, 1, 0, s>>>(x);\n{line}\n}}')
    with pytest.raises(cudabook.BuildError) as caught:
        cudabook.load(source, "emulator")
    assert place in str(caught.value) and words in str(caught.value)


def test_refused_constructs_name_the_users_line(tmp_path):
    path = tmp_path / "ptx.cu"
    path.write_text(KERNEL.format(value='1; asm("exit;")'))
    with pytest.raises(cudabook.BuildError, match=r"ptx\.cu:4: inline PTX"):
        cudabook.load(path, "emulator")


@pytest.mark.parametrize("name, words", [("no_operator", "There are: .*vector_add"), ("none.cu", "There is no file")])
def test_what_is_not_there_is_named(name, words):
    with pytest.raises(cudabook.BuildError, match=words):
        cudabook.load(name, "emulator")


def test_unknown_target():
    with pytest.raises(cudabook.TargetError, match="expected 'cuda' or 'emulator'"):
        cudabook.load("vector_add", "tpu")


def test_a_function_that_is_not_there_is_named(tmp_path):
    path = tmp_path / "fill.cu"
    path.write_text(KERNEL.format(value="1"))
    with pytest.raises(AttributeError, match="It defines: fill"):
        _ = cudabook.load(path, "emulator").full
    path.write_text(KERNEL.format(value="1").replace('extern "C" ', ""))
    with pytest.raises(cudabook.BuildError, match='write the launcher as extern "C"'):
        cudabook.load(path, "emulator")


@pytest.mark.parametrize("arguments, error, words", [
    ((torch.zeros(4, dtype=torch.float64), 4), TypeError, "has dtype torch.float64, expected torch.float32"),
    ((torch.zeros(4, 4).t(), 4), ValueError, "has strides"),
    ((torch.zeros(4, device="meta"), 4), ValueError, "is on meta"),
    ((4, 4), TypeError, "is a int, expected a tensor"),
    ((torch.zeros(4), torch.zeros(1)), TypeError, "is a tensor, expected a number"),
    ((torch.zeros(4),), TypeError, r"takes 2 arguments \(out, n\), 1 were given"),
])
def test_wrong_arguments_are_named(tmp_path, arguments, error, words):
    path = tmp_path / "fill.cu"
    path.write_text(KERNEL.format(value="1"))
    with pytest.raises(error, match=words):
        cudabook.load(path, "emulator").fill(*arguments)


def test_blanks_in_paths(own_cache, tmp_path, monkeypatch):
    """A09"""
    monkeypatch.setenv("CUDABOOK_CACHE", str(tmp_path / "my cache"))
    cache.folder.cache_clear()
    (tmp_path / "my labs").mkdir()
    path = tmp_path / "my labs" / "fill.cu"
    path.write_text(KERNEL.format(value="6"))
    assert filled_with(cudabook.load(path, "emulator")) == 6


def test_unwritable_cache_is_replaced(own_cache, tmp_path, monkeypatch, capsys):
    """A10: a file stands where the folder should be, which not even root can write into."""
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("CUDABOOK_CACHE", str(tmp_path / "file" / "cache"))
    monkeypatch.setattr("tempfile.gettempdir", lambda: str(tmp_path / "spare"))
    cache.folder.cache_clear()
    assert cache.folder().parent == tmp_path / "spare"
    assert "cannot write" in capsys.readouterr().err


def test_two_processes_build_at_once(own_cache, tmp_path):
    path = tmp_path / "fill.cu"
    path.write_text(KERNEL.format(value="7"))
    program = ("import sys, torch, cudabook; out = torch.zeros(9); "
               "cudabook.load(sys.argv[1], 'emulator').fill(out, 9); print(out.sum())")
    command = [sys.executable, "-c", program, str(path)]
    children = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT) for _ in range(2)]
    assert [c.communicate(timeout=120)[0].strip() for c in children] == ["tensor(63.)"] * 2


def test_a_stale_lock_of_torch_is_not_waited_for(own_cache, monkeypatch):
    """A01: the lock file of a build that was killed; torch 2.11 to 2.13 would wait for it for ever."""
    if why := cuda.toolchain_problem():
        pytest.skip(f"needs nvcc: {why}")
    monkeypatch.setenv("TORCH_CUDA_ARCH_LIST", "9.0a")
    left_behind = []

    def compile_nothing(namespace, sources, folder):
        left_behind.append((folder / "lock").exists())
        (folder / f"{namespace}.so").write_text("")

    monkeypatch.setattr(cuda, "_compile", compile_nothing)
    source, kernels = build.operator_sources("vector_add")
    library, _ = cuda.build_operator("vector_add", source, kernels)
    library.unlink()
    (library.parent / "lock").write_text("")
    cuda.build_operator("vector_add", source, kernels)
    assert left_behind == [False, False]


def test_a_lock_is_dropped_with_its_holder(tmp_path):
    program = f"from cudabook import cache; from pathlib import Path; import os\n" \
              f"with cache.lock(Path({str(tmp_path)!r})): print('held', flush=True); os.kill(os.getpid(), 9)"
    child = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, cwd=ROOT)
    assert child.stdout == "held\n"
    taken = threading.Event()

    def take():
        with cache.lock(tmp_path):
            taken.set()

    thread = threading.Thread(target=take, daemon=True)
    thread.start()
    assert taken.wait(10)


def test_no_gpu_and_no_arch_list_is_one_sentence(monkeypatch):
    """A06"""
    monkeypatch.delenv("TORCH_CUDA_ARCH_LIST", raising=False)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 0)
    with pytest.raises(cudabook.TargetError, match="no GPU to compile for, and TORCH_CUDA_ARCH_LIST is not set"):
        cuda.architectures()


@pytest.mark.parametrize("built, capability, code", [
    ("8.0", (8, 0), "sm_80"),
    ("8.0", (8, 9), "sm_80"),  # a binary serves later minors
    ("8.6", (8, 0), None),  # and no earlier ones
    ("8.0", (9, 0), None),  # nor another major
    ("8.0+PTX", (9, 0), "compute_80"),
    ("8.0+PTX", (7, 5), None),
    ("8.0 8.6", (8, 9), "sm_86"),
    ("8.0+PTX 9.0", (9, 0), "sm_90"),  # a binary rather than PTX
    ("9.0a", (9, 0), "sm_90a"),
    ("9.0a+PTX", (10, 0), None),  # 9.0a is for 9.0 alone, PTX too
    ("8.0+PTX 9.0a", (12, 0), "compute_80"),
])
def test_which_code_serves_a_gpu(built, capability, code):
    """NVIDIA's rules of compatibility (CUDA C++ Programming Guide, compute capabilities)."""
    assert cuda.serving(built.split(), capability) == code


def test_ninja_beside_the_interpreter_is_found(monkeypatch, tmp_path):
    """A04: a notebook whose PATH lacks the environment's bin folder."""
    if why := cuda.toolchain_problem():
        pytest.skip(f"needs nvcc: {why}")
    (tmp_path / "ninja").write_text("#!/bin/sh\n")
    (tmp_path / "ninja").chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python"))
    monkeypatch.setenv("PATH", os.path.dirname(str(cuda.toolkit() / "bin" / "nvcc")))
    monkeypatch.setenv("TORCH_CUDA_ARCH_LIST", "9.0a")
    cuda.prepare()
    assert os.environ["PATH"].startswith(str(tmp_path))
    (tmp_path / "ninja").unlink()
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(cudabook.BuildError, match="pip install ninja"):
        cuda.prepare()


@pytest.mark.parametrize("version, problem", [("10.1", "nvcc is 10.1 but torch was built with CUDA"),
                                              (None, "no nvcc was found")])
def test_unfit_nvcc_is_named_before_anything_is_compiled(monkeypatch, version, problem):
    """A02"""
    monkeypatch.setattr(torch.version, "cuda", "13.0")
    monkeypatch.setattr(cuda, "toolkit", lambda: Path("/opt/cuda") if version else None)
    monkeypatch.setattr(cuda, "nvcc_version", lambda: version)
    with pytest.raises(cudabook.TargetError, match=problem):
        cudabook.load("vector_add", "cuda")


def test_the_toolkit_behind_a_wrapper_script_is_found(monkeypatch, tmp_path):
    if cuda.toolkit() is None:
        pytest.skip("needs nvcc")
    real = cuda.toolkit()
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "nvcc").write_text(f'#!/bin/sh\nexec {real}/bin/nvcc "$@"\n')
    (tmp_path / "bin" / "nvcc").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}/bin:{os.environ['PATH']}")
    monkeypatch.delenv("CUDA_HOME", raising=False)
    cuda.toolkit.cache_clear()
    try:
        assert cuda.toolkit() == real
    finally:
        cuda.toolkit.cache_clear()


def test_killed_compiler_is_named():
    assert "lack of memory" in compiler.first_error("g++: fatal error: Killed signal terminated program cc1plus")
    assert "lack of memory" in compiler.first_error("", -9)


def test_blocks_are_spread_over_the_cores(tmp_path):
    path = tmp_path / "who.cu"
    path.write_text("""#include <cuda_runtime.h>
#include <pthread.h>
__global__ void who_kernel(int64_t* out) {
    volatile int spin = 0;
    for (int i = 0; i < 1000; ++i) spin = spin + 1;
    out[blockIdx.x * blockDim.x + threadIdx.x] = int64_t(pthread_self());
}
extern "C" void who(int64_t* out, int blocks) { who_kernel<<<blocks, 64>>>(out); }
""")
    cores = len(os.sched_getaffinity(0))
    out = torch.zeros(2000, 64, dtype=torch.int64)
    cudabook.load(path, "emulator").who(out, 2000)
    assert (out == out[:, :1]).all()  # a block stays on one OS thread
    assert len(out[:, 0].unique()) == min(cores, 16)


def test_a_missing_compiler_is_named(own_cache, monkeypatch):
    monkeypatch.setattr(emulator, "cxx", lambda: "no-such-compiler")
    emulator._compiler_identity.cache_clear()
    try:
        with pytest.raises(cudabook.BuildError, match="apt-get install g"):
            emulator.runtime_library()
    finally:
        emulator._compiler_identity.cache_clear()
