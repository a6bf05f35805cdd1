"""What profiling and sanitizing share: kernels that report every load and store, and the lines where those stand."""

import ctypes
import subprocess
from collections import defaultdict
from functools import lru_cache

from .errors import TargetError

SANITIZING = "sanitizing"
_what: str | None = None


def begin(what: str) -> None:
    """From now on, kernels are to be loaded and run watched."""
    global _what
    if _what:
        raise RuntimeError(f"{what[0].upper() + what[1:]} cannot begin inside {_what}: end that with-block first.")
    _what = what


def end() -> None:
    global _what
    _what = None


def sanitizing() -> bool:
    """Whether it is for faults that kernels are watched."""
    return _what == SANITIZING


def watching() -> bool:
    """Whether kernels are to be loaded and run watched."""
    return _what is not None


@lru_cache(maxsize=1)
def runtime() -> ctypes.CDLL:
    """The emulator's runtime library, loaded once."""
    from .emulator.build import runtime_library

    library = ctypes.CDLL(str(runtime_library()))
    library.cudabook_profile_end.restype = ctypes.c_char_p
    library.cudabook_sanitize_end.restype = ctypes.c_char_p
    library.cudabook_region.argtypes = [ctypes.c_size_t, ctypes.c_size_t, ctypes.c_char_p, ctypes.c_uint]
    library.cudabook_forget_region.argtypes = [ctypes.c_size_t]
    return library


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
        command = ["addr2line", "-e", library, "-a", "-i", *(hex(o) for o in offsets)]
        output = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        frames: list[list[str]] = []
        for line in output.splitlines():
            if line.startswith("0x"):
                frames.append([])
            else:
                frames[-1].append(line.split(" (discriminator")[0])
        for offset, stack in zip(offsets, frames, strict=True):
            own = [f for f in stack if not f.startswith((str(INCLUDE), "/usr/", "??"))]
            file, _, number = (own or stack)[0].rpartition(":")
            places[library, offset] = (file, int(number) if number.isdigit() else 0)
    return places


def refuse_gpu(what: str, target: str) -> None:
    """Raise a TargetError where something built for a GPU is used while accesses are watched."""
    if target == "cuda":
        raise TargetError(f"{what} was loaded for the target 'cuda', which cannot be watched. Load it with "
                          "target='emulator', or read the counters with Nsight Compute.")

