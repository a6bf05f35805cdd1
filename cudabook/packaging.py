"""``CUDAExtension`` and ``BuildExtension`` for a setup.py, from where they can be had.

With nvcc they are torch's own. Without it, or where CUDABOOK_TARGET is 'emulator', the library is built for the CPU
with the emulator inside, from the same sources.

Attributes:
    no_cuda: why it is built for the CPU, or None.
"""

import os
from pathlib import Path

from setuptools import Extension
from setuptools.command.build_ext import build_ext
from torch.utils import cpp_extension

from . import cuda
from .emulator import build as emulator

no_cuda = cuda.toolchain_problem()
if os.environ.get("CUDABOOK_TARGET") == "emulator":
    no_cuda = "CUDABOOK_TARGET is 'emulator'"


class EmulatorBuild(build_ext):
    """Builds for the CPU what torch's BuildExtension builds for a GPU. The first source is the binding."""

    def build_extension(self, ext):
        binding, *kernels = [Path(source).resolve() for source in ext.sources]
        out = Path(self.get_ext_fullpath(ext.name))
        emulator.build_packaged(out, ext.name.split(".")[-1], binding, kernels, ext.extra_compile_args)


def CUDAExtension(name: str, sources: list[str], **options) -> Extension:
    """A library of C++ and CUDA sources, the binding first. The last part of its name is its TORCH_EXTENSION_NAME."""
    if no_cuda:
        return Extension(name, sources, **options)
    cuda.prepare()
    return cpp_extension.CUDAExtension(name, sources, **options)


BuildExtension = EmulatorBuild if no_cuda else cpp_extension.BuildExtension
