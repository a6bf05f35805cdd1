"""Kernels That Run: CUDA kernels from PyTorch, on a GPU or on an emulator that needs none."""

from .build import Operators, default_target, load
from .errors import BuildError, CudaError, TargetError
from .profiling import profile
from .records import banner, record
from .sanitizing import sanitize

__version__ = "0.1.0"
__all__ = [
    "BuildError",
    "CudaError",
    "Operators",
    "TargetError",
    "banner",
    "default_target",
    "load",
    "profile",
    "record",
    "sanitize",
]
