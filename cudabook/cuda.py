"""The GPU side: finding the CUDA toolkit, and building with nvcc."""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

from . import cache, compiler
from .emulator.text import with_includes
from .errors import BuildError, TargetError

NVCC_FLAGS = ["-O3", "-lineinfo"]


@lru_cache(maxsize=1)
def toolkit() -> Path | None:
    """The root of the CUDA toolkit, or None.

    ``$CUDA_HOME`` wins, then the nvcc on PATH. Where that nvcc is a wrapper script, nvcc itself is asked where it
    lives: the folder above the wrapper has no headers.
    """
    nvcc = os.path.join(os.environ.get("CUDA_HOME", ""), "bin", "nvcc") if os.environ.get("CUDA_HOME") else None
    nvcc = nvcc or shutil.which("nvcc")
    if nvcc is None and os.path.exists("/usr/local/cuda/bin/nvcc"):
        nvcc = "/usr/local/cuda/bin/nvcc"
    if not nvcc or not os.path.exists(nvcc):
        return None
    dry = subprocess.run([nvcc, "--dryrun", "-x", "cu", "-c", os.devnull], capture_output=True, text=True)
    top = re.search(r"^#\$ TOP=(.*)$", dry.stderr, re.MULTILINE)
    return Path(top[1]).resolve() if top else Path(nvcc).resolve().parent.parent


@lru_cache(maxsize=1)
def nvcc_version() -> str | None:
    """The release of nvcc, such as '13.0', or None."""
    if toolkit() is None:
        return None
    out = subprocess.run([str(toolkit() / "bin" / "nvcc"), "--version"], capture_output=True, text=True).stdout
    found = re.search(r"release (\d+\.\d+)", out)
    return found[1] if found else None


def toolchain_problem() -> str | None:
    """Why CUDA sources cannot be compiled for this torch, or None if they can."""
    import torch

    if torch.version.cuda is None:
        return f"torch {torch.__version__} is a build without CUDA"
    if toolkit() is None:
        return "no nvcc was found (CUDA_HOME is not set and nvcc is not on PATH)"
    version = nvcc_version()
    if version is None:
        return f"the nvcc in {toolkit()} does not tell its version"
    if version.split(".")[0] != torch.version.cuda.split(".")[0]:
        return f"nvcc is {version} but torch was built with CUDA {torch.version.cuda}: the major versions must be equal"
    return None


def problem() -> str | None:
    """Why the target 'cuda' cannot run here, or None if it can."""
    import torch

    if torch.version.cuda is None:
        return f"torch {torch.__version__} is a build without CUDA"
    if torch.cuda.device_count() == 0:
        return "no GPU is visible"
    return toolchain_problem()


def architectures() -> list[str]:
    """The compute capabilities to compile for: ``$TORCH_CUDA_ARCH_LIST``, or those of the visible GPUs.

    Compute capability 9.0 is compiled as 9.0a, which has Hopper's own instructions.
    """
    listed = re.split(r"[;\s,]+", os.environ.get("TORCH_CUDA_ARCH_LIST", "").strip())
    if listed != [""]:
        return listed
    import torch

    found = sorted({torch.cuda.get_device_capability(i) for i in range(torch.cuda.device_count())})
    if not found:
        raise TargetError(
            "There is no GPU to compile for, and TORCH_CUDA_ARCH_LIST is not set. Set it (for example to '8.0;9.0a') "
            "to compile for a GPU that is elsewhere, or use target='emulator'."
        )
    return [f"{major}.{minor}" + ("a" if (major, minor) == (9, 0) else "") for major, minor in found]


def serving(built: list[str], capability: tuple[int, int]) -> str | None:
    """What of a library's code a GPU runs.

    Args:
        built: what the library was compiled for, such as ``["8.0+PTX", "9.0a"]``.
        capability: the GPU's compute capability, such as ``(9, 0)``.

    Returns:
        'sm_80' for a binary, 'compute_80' for PTX, which the driver compiles when it loads the library; None where
        there is nothing for this GPU, and every launch ends with cudaErrorNoKernelImageForDevice.
    """
    found = []
    for arch in built:
        major, minor = arch.removesuffix("+PTX").split(".")
        made_for = int(major), int(minor.removesuffix("a"))
        runs = made_for <= capability
        if minor.endswith("a"):
            runs = made_for == capability
        if runs and made_for[0] == capability[0]:
            found.append((1, made_for, f"sm_{major}{minor}"))
        if runs and arch.endswith("+PTX"):  # 0: where no binary will do
            found.append((0, made_for, f"compute_{major}{minor}"))
    return max(found)[2] if found else None


def _gencode() -> list[str]:
    flags = []
    for arch in architectures():
        number = arch.replace(".", "").removesuffix("+PTX")
        flags.append(f"-gencode=arch=compute_{number},code=sm_{number}")
    return flags


def prepare() -> None:
    """Make torch.utils.cpp_extension find this environment's ninja, the real toolkit and a sane number of jobs."""
    os.environ["CUDA_HOME"] = str(toolkit())
    os.environ["TORCH_CUDA_ARCH_LIST"] = ";".join(architectures())
    beside = os.path.dirname(sys.executable)
    if os.path.exists(os.path.join(beside, "ninja")) and beside not in os.environ["PATH"].split(os.pathsep):
        os.environ["PATH"] = beside + os.pathsep + os.environ["PATH"]
    if shutil.which("ninja") is None:
        raise BuildError("ninja was not found. Install it into this environment: pip install ninja")
    compiler.cpp_extension().CUDA_HOME = str(toolkit())


def build_operator(name: str, binding: Path, kernels: list[Path]) -> tuple[Path, str]:
    """Build an operator with torch.utils.cpp_extension, and return its shared library and its namespace."""
    import torch

    included = {file for path in (binding, *kernels) for file in with_includes(path)}  # ../ptx.cuh among them
    sources = included | {p for p in binding.parent.iterdir() if p.is_file()}
    prepare()
    key = cache.digest(cache.digest_of_files(sources), binding.name, torch.__version__, nvcc_version(),
                       architectures(), NVCC_FLAGS, sys.version)
    namespace = f"{name}_cuda_{key}"
    folder = cache.folder() / "cuda" / namespace
    if " " in str(folder) or " " in str(binding):
        raise BuildError(
            f"The path '{folder if ' ' in str(folder) else binding}' has a blank in it, which nvcc's build does not "
            "survive. Set CUDABOOK_CACHE to a folder without blanks, or move the project."
        )
    library = folder / f"{namespace}.so"
    with cache.lock(folder):
        if not library.exists():
            (folder / "lock").unlink(missing_ok=True)  # of a build that was killed: whoever held it is gone
            _compile(namespace, [binding, *kernels], folder)
    return library, namespace


def _compile(namespace: str, sources: list[Path], folder: Path) -> None:
    try:
        compiler.cpp_extension().load(
            name=namespace,
            sources=[str(s) for s in sources],
            extra_cuda_cflags=NVCC_FLAGS,
            build_directory=str(folder),
            is_python_module="PYBIND11_MODULE" in sources[0].read_text(),
        )
    except RuntimeError as error:
        raise BuildError(f"compiling {namespace}:\n{compiler.first_error(str(error))}") from None


def build_file(path: Path, folders: Sequence[Path] = ()) -> Path:
    """Build a single ``.cu`` file with ``extern "C"`` functions into a shared library, by nvcc alone.

    Includes are looked for in the file's own folder, then in ``folders``.
    """
    glue = Path(__file__).parent / "emulator" / "last_error.cpp"
    key = cache.digest(cache.digest_of_files(with_includes(path, folders)), nvcc_version(), architectures(),
                       NVCC_FLAGS, *folders)
    out = cache.folder() / "cuda" / "files" / f"{path.stem}-{key}.so"
    if not out.exists():
        out.parent.mkdir(parents=True, exist_ok=True)
        partial = out.with_suffix(f".{os.getpid()}.tmp.so")
        includes = [f"-I{p}" for p in (path.parent, *folders)]
        command = [str(toolkit() / "bin" / "nvcc"), "-shared", "-std=c++17", "-Xcompiler", "-fPIC", *NVCC_FLAGS,
                   *_gencode(), *includes, "-x", "cu", str(path), str(glue), "-o", str(partial)]
        compiler.run(command, f"compiling {path.name} with nvcc")
        compiler.replace_atomically(partial, out)
    return out
