"""Memory that shows what was done to it: around it, in it, or just beyond it."""

import ctypes
import mmap

import torch

GUARD = 1 << 15  # elements before and after a buffer: more than a grid of the checks can have threads too many

# Signalling NaNs. Arithmetic makes them quiet, so a copy and a sum of a canary both look different from a canary that
# nobody touched.
CANARY = {torch.float32: 0x7FA0DEAD, torch.float64: 0x7FF4DEADDEADDEAD}
BITS = {torch.float32: torch.int32, torch.float64: torch.int64}


class Guarded:
    """A float32 or float64 buffer with guard elements around it.

    Attributes:
        tensor: the buffer, in one dimension, 16-byte aligned. Without data every element is a canary.
    """

    def __init__(self, data: torch.Tensor | int, dtype: torch.dtype, device: str):
        n = data if isinstance(data, int) else data.numel()
        self._canary = CANARY[dtype] - (not isinstance(data, int))  # what is read beside an input looks like no output
        self._bits = torch.full((n + 2 * GUARD,), self._canary, dtype=BITS[dtype], device=device)
        self.tensor = self._bits[GUARD : GUARD + n].view(dtype)
        if not isinstance(data, int):
            self.tensor.copy_(data.flatten())

    def value(self) -> torch.Tensor:
        """A copy of the buffer on the CPU."""
        return self.tensor.cpu().clone()

    def damage(self) -> dict[str, torch.Tensor]:
        """The guard elements that were written: distances from the buffer, 1 for the nearest, 'before' and 'after'."""
        touched = (self._bits != self._canary).cpu()
        n = self.tensor.numel()
        before, after = touched[:GUARD].flip(0), touched[GUARD + n :]
        return {"before": before.nonzero().flatten() + 1, "after": after.nonzero().flatten() + 1}


def untouched(value: torch.Tensor) -> torch.Tensor:
    """Which elements of a buffer without data are still its canary."""
    return value.view(BITS[value.dtype]) == CANARY[value.dtype]


def same_bits(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    """Elementwise: equal as bits, or both NaN. Unlike ``==`` it tells -0.0 from 0.0."""
    return (x.view(BITS[x.dtype]) == y.view(BITS[x.dtype])) | (x.isnan() & y.isnan())


class Fenced:
    """Memory of this process with a page that cannot be accessed right behind or right before it.

    Args:
        data: the values, or the number of elements.
        fence: 'after' or 'before'.
    """

    def __init__(self, data: torch.Tensor | int, dtype: torch.dtype, fence: str):
        n = data if isinstance(data, int) else data.numel()
        page, size = mmap.PAGESIZE, dtype.itemsize * n
        room = (size + page - 1) // page * page
        self._pages = mmap.mmap(-1, room + page)
        start = ctypes.addressof(ctypes.c_char.from_buffer(self._pages))
        wall, offset = (start, page) if fence == "before" else (start + room, room - size)
        if ctypes.CDLL(None, use_errno=True).mprotect(ctypes.c_void_p(wall), ctypes.c_size_t(page), 0):
            raise OSError(ctypes.get_errno(), "A page could not be protected.")
        self.tensor = torch.frombuffer(self._pages, dtype=dtype, count=n, offset=offset)
        self.tensor.copy_(data) if not isinstance(data, int) else self.tensor.fill_(torch.nan)
