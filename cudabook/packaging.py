"""``CUDAExtension`` and ``BuildExtension`` for a setup.py, from where they can be had.

With nvcc they are torch's own. Without it, or where CUDABOOK_TARGET is 'emulator', the library is built for the CPU
with the emulator inside, from the same sources.

Attributes:
    no_cuda: why it is built for the CPU, or None.
"""

import os
from pathlib import Path

import torch
from setuptools import Extension
from setuptools.command.build_ext import build_ext

from . import compiler, cuda
from .emulator import build as emulator

no_cuda = cuda.toolchain_problem()
if os.environ.get("CUDABOOK_TARGET") == "emulator":
    no_cuda = "CUDABOOK_TARGET is 'emulator'"


class EmulatorBuild(build_ext):
    """Builds for the CPU what torch's BuildExtension builds for a GPU: one binding (.cpp) and its kernels (.cu)."""

    def build_extension(self, ext):
        sources = [Path(source).resolve() for source in ext.sources]
        (binding,), kernels = ([s for s in sources if (s.suffix == ".cu") == of_cuda] for of_cuda in (False, True))
        out = Path(self.get_ext_fullpath(ext.name))
        emulator.build_packaged(out, ext.name.split(".")[-1], binding, kernels, ext.extra_compile_args)


def CUDAExtension(name: str, sources: list[str], **options) -> Extension:
    """A library of one C++ file, the binding, and CUDA files. The last part of its name is its TORCH_EXTENSION_NAME."""
    if no_cuda:
        return Extension(name, sources, **options)
    if torch.cuda.device_count() == 0:  # for machines that are elsewhere: 8.0+PTX serves every later GPU
        os.environ.setdefault("TORCH_CUDA_ARCH_LIST", "8.0+PTX;9.0a")
    cuda.prepare()
    return compiler.cpp_extension().CUDAExtension(name, sources, **options)


BuildExtension = EmulatorBuild if no_cuda else compiler.cpp_extension().BuildExtension
