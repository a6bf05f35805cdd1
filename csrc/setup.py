"""Builds the operators of this folder ahead of time, as the package custom_ops.

    pip install --no-build-isolation ./csrc              for the torch that is installed
    STABLE=1 pip wheel --no-build-isolation ./csrc       for any torch from 2.11 on: one wheel, by the stable ABI

With nvcc they are built for GPUs: those of this machine, or TORCH_CUDA_ARCH_LIST. Without it, or where CUDABOOK_TARGET
is 'emulator', they are built for the CPU with the emulator inside, and the version of the package ends in +emulator.
"""

import atexit
import json
import os
import platform
import sys
import tempfile
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

try:
    import torch

    from cudabook import cuda
    from cudabook.emulator import build as emulator
except ModuleNotFoundError as error:
    remedy = {
        "torch": "pip builds in an empty environment of its own, where torch is missing even if it is installed. "
        "Use the environment that has it: pip install --no-build-isolation ./csrc",
        "cudabook": "It finds nvcc, or stands in for a GPU. Install it from the folder above csrc: pip install -e .",
    }
    if error.name not in remedy:
        raise
    sys.exit(f"csrc/setup.py: {sys.executable} has no module '{error.name}'. {remedy[error.name]}")

HERE = Path(__file__).resolve().parent
STABLE = os.environ.get("STABLE") == "1"
OLDEST = (2, 11)  # the stable ABI's functions of this torch are used, and no newer ones
BINDING = "bindings_stable.cpp" if STABLE else "bindings.cpp"
FLAGS = [f"-ffile-prefix-map={HERE}/="]  # messages name vector_add/bindings.cpp, not where it lay on this machine
if STABLE:
    FLAGS += ["-DUSE_CUDA", "-DTORCH_TARGET_VERSION=0x{:02x}{:02x}000000000000".format(*OLDEST)]

no_cuda = cuda.toolchain_problem()
if os.environ.get("CUDABOOK_TARGET") == "emulator":
    no_cuda = "CUDABOOK_TARGET is 'emulator'"
if no_cuda:
    print(f"custom_ops is built for the CPU, with the emulator inside: {no_cuda}.", file=sys.stderr)
else:
    if torch.cuda.device_count() == 0:  # 8.0+PTX serves every later GPU; 9.0a has Hopper's own instructions
        os.environ.setdefault("TORCH_CUDA_ARCH_LIST", "8.0+PTX;9.0a")
    cuda.prepare()


def extension(name: str) -> Extension:
    """The library of one operator. Its name is the namespace of its operators: torch.ops.custom_ops_NAME."""
    library = f"custom_ops.custom_ops_{name}"
    sources = [f"{name}/{BINDING}", *(f"{name}/{path.name}" for path in sorted((HERE / name).glob("*.cu")))]
    if no_cuda:
        return Extension(library, sources, extra_compile_args=FLAGS, py_limited_api=STABLE)
    from torch.utils.cpp_extension import CUDAExtension

    flags = {"cxx": ["-O2", *FLAGS], "nvcc": cuda.NVCC_FLAGS}
    return CUDAExtension(library, sources, extra_compile_args=flags, py_limited_api=STABLE)


def write_stamp(folder: Path) -> None:
    """What the libraries were built for, which custom_ops compares with what runs."""
    stamp = {
        "torch": torch.__version__,
        "oldest_torch": OLDEST if STABLE else None,
        "cuda": None if no_cuda else torch.version.cuda,
        "cxx11_abi": torch.compiled_with_cxx11_abi(),
        "python": platform.python_version(),
        "architectures": [] if no_cuda else cuda.architectures(),
    }
    (folder / "built_for.json").write_text(json.dumps(stamp, indent=1) + "\n")


class EmulatorBuild(build_ext):
    """Builds for the CPU what BuildExtension builds for a GPU."""

    def build_extension(self, ext):
        binding, *kernels = [HERE / source for source in ext.sources]
        out = Path(self.get_ext_fullpath(ext.name))
        emulator.build_packaged(out, ext.name.split(".")[-1], binding, kernels, ext.extra_compile_args)


def stamped(command):
    class Stamped(command):
        def run(self):
            super().run()
            write_stamp(Path(self.build_lib) / "custom_ops")

    return Stamped


def build_command():
    if no_cuda:
        return EmulatorBuild
    from torch.utils.cpp_extension import BuildExtension

    return BuildExtension


# Built elsewhere than in this folder, and from nothing: a library of an earlier build never gets into a wheel.
scratch = tempfile.TemporaryDirectory(prefix="custom_ops-")
atexit.register(scratch.cleanup)

setup(
    script_name="setup.py",  # this file is no module of the package
    name="custom_ops",
    version="0.1.0" + ("+emulator" if no_cuda else "+cu" + torch.version.cuda.replace(".", "")),
    description="Kernels That Run: the operators",
    license="MIT",
    python_requires=">=3.11",
    install_requires=[f"torch>={OLDEST[0]}.{OLDEST[1]}" if STABLE else f"torch=={torch.__version__.split('+')[0]}"],
    packages=["custom_ops", "custom_ops.ops"],
    package_dir={"custom_ops": ".", "custom_ops.ops": "../cudabook/ops"},
    ext_modules=[extension(path.parent.name) for path in sorted(HERE.glob(f"*/{BINDING}"))],
    cmdclass={"build_ext": stamped(build_command())},
    options={
        "build": {"build_base": scratch.name},
        "egg_info": {"egg_base": scratch.name},
        "bdist_wheel": {"py_limited_api": "cp311"} if STABLE else {},
    },
)
