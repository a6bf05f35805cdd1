"""What profiling and sanitizing share: kernels that report every load and store, and the lines where those stand."""

import ctypes
import functools
import subprocess
from collections import defaultdict

from .errors import TargetError

_what: str | None = None
_named: set[int] = set()  # where the named tensors begin


def begin(what: str) -> None:
    """From now on, kernels are to be loaded and run watched."""
    global _what
    if _what:
        raise RuntimeError(f"{what[0].upper() + what[1:]} cannot begin inside {_what}: end that with-block first.")
    _what = what


def end() -> None:
    """Kernels run unwatched again."""
    global _what
    _what = None
    while _named:
        runtime().cudabook_forget_region(_named.pop())


def watching() -> bool:
    """Whether kernels are to be loaded and run watched."""
    return _what is not None


@functools.lru_cache(maxsize=1)
def runtime() -> ctypes.CDLL:
    """The emulator's runtime library, loaded once."""
    from .emulator.build import runtime_library

    library = ctypes.CDLL(str(runtime_library()))
    library.cudabook_profile_end.restype = ctypes.c_char_p
    library.cudabook_sanitize_end.restype = ctypes.c_char_p
    library.cudabook_region.argtypes = [ctypes.c_size_t, ctypes.c_size_t, ctypes.c_char_p, ctypes.c_uint]
    library.cudabook_forget_region.argtypes = [ctypes.c_size_t]
    return library


def frames(library: str, offsets: list[int]) -> list[list[tuple[str, str]]]:
    """For each offset the functions that it is in, the innermost inlined one first: name, and "file:line"."""
    if not offsets:
        return []
    command = ["addr2line", "-e", library, "-f", "-C", "-a", "-i", *map(hex, offsets)]
    output = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    stacks: list[list[str]] = []
    for line in output.splitlines():
        if line.startswith("0x"):
            stacks.append([])
        else:
            stacks[-1].append(line.split(" (discriminator")[0])
    return [list(zip(stack[::2], stack[1::2], strict=True)) for stack in stacks]


def source_lines(addresses: set[tuple[str, int]]) -> dict[tuple[str, int], tuple[str, int]]:
    """The source line of each (library, offset), through addr2line.

    Of inlined frames the first is taken that lies in neither the emulator's nor the system's headers.
    """
    from .emulator.build import INCLUDE

    by_library = defaultdict(list)
    for library, offset in addresses:
        by_library[library].append(offset)
    places = {}
    for library, offsets in by_library.items():
        for offset, stack in zip(offsets, frames(library, offsets), strict=True):
            lines = [line for _, line in stack]
            own = [line for line in lines if not line.startswith((str(INCLUDE), "/usr/", "??"))]
            file, _, number = (own or lines)[0].rpartition(":")
            places[library, offset] = (file, int(number) if number.isdigit() else 0)
    return places


def refuse_gpu(what: str, target: str) -> None:
    """Raise a TargetError where something built for a GPU is used while accesses are watched."""
    if target == "cuda":
        raise TargetError(f"{what} was loaded for the target 'cuda', which cannot be watched. Load it with "
                          "target='emulator', or read the counters with Nsight Compute.")


def name_tensors(tensors: dict) -> None:
    """While kernels are watched, tell the runtime which memory the named tensors are."""
    if not watching():
        return
    for name, tensor in tensors.items():
        storage = tensor.untyped_storage()
        if storage.nbytes():
            runtime().cudabook_region(storage.data_ptr(), storage.nbytes(), name.encode(), tensor.element_size())
            _named.add(storage.data_ptr())


def naming(operator):
    """An operator that names its tensor arguments before each call, while kernels are watched.

    A function of a pybind11 module does not tell its arguments' names: they are numbered.
    """
    if not watching():
        return operator
    known = hasattr(operator, "default")
    names = [a.name for a in operator.default._schema.arguments] if known else [f"argument {i}" for i in range(64)]

    @functools.wraps(operator)
    def call(*args, **kwargs):
        import torch

        given = dict(zip(names, args, strict=False)) | kwargs
        name_tensors({n: t for n, t in given.items() if isinstance(t, torch.Tensor)})
        return operator(*args, **kwargs)

    return call
