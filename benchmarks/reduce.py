"""What is measured of reduce. Called by ``cudabook record reduce`` and by pages on a GPU.

Rows: the keys of ``bench.measure``; 'small' has the times and ``gb_per_s``. ``n`` is the number of elements. Bytes
are those of a, read once.

- experiment 'bandwidth': v1 to v4, 'torch.sum', and 'copy', which reads and writes as many bytes as the sum reads.
- experiment 'small': float32, n from 1 to 2^24, calls back to back as a Python program makes them: v4 and 'torch.sum'.
"""

import dataclasses

import torch

from cudabook import bench
from cudabook.counters import aligned_ones

MAIN = 2**28
OTHER_SIZES = [2**20, 2**24, 2**28 - 1]
DTYPES = [torch.float32, torch.bfloat16, torch.float16, torch.float64]
VERSIONS = (1, 2, 3, 4)


def measure(op) -> list[dict]:
    torch.manual_seed(0)
    cases = [(dtype, MAIN) for dtype in DTYPES] + [(d, n) for d in DTYPES[:2] for n in OTHER_SIZES]
    return [row for dtype, n in cases for row in bandwidth(op, dtype, n)] + small(op)


def inputs(n, op, dtype):
    """Numbers of both signs. Of 2^28 the sum is about 2^20 (2^15 in float16, whose largest number is 65504)."""
    scale = 1 / 32 if dtype == torch.float16 else 1
    return (torch.randn(n, device=op.device, dtype=dtype) + 2**-8) * scale


def check(name, got, a) -> None:
    """Within the rounding of the result, and what the roundings on the way may add up to: most for v1's many."""
    exact = a.sum(dtype=torch.float64).item()
    allowed = torch.finfo(a.dtype).eps + (1e-2 if name == "v1" else 2e-4)
    error = abs(got.item() - exact) / max(abs(exact), a.double().square().sum().sqrt().item())
    assert error <= allowed, f"{name}, {a.dtype}, n = {a.numel()}: {got.item()}, expected {exact}"


def bandwidth(op, dtype, n) -> list[dict]:
    a = inputs(n, op, dtype)
    calls = {f"v{v}": lambda v=v: op.reduce(a, v) for v in VERSIONS}
    calls["torch.sum"] = lambda: a.sum()
    measured = bench.measure(calls, lambda name, got: check(name, got, a), "torch.sum", nbytes=a.nbytes, repeats=20)
    return [{"experiment": "bandwidth", "dtype": str(dtype).removeprefix("torch."), "n": n, **row} for row in measured]


def small(op) -> list[dict]:
    rows = []
    for n in (4**k for k in range(13)):
        a = inputs(n, op, torch.float32)
        calls = {"v4": lambda a=a: op.reduce(a), "torch.sum": lambda a=a: a.sum()}
        check("v4", calls["v4"](), a)
        for name, call in calls.items():
            timing = bench.back_to_back(call)
            rows.append({"experiment": "small", "version": name, "dtype": "float32", "n": n,
                         **dataclasses.asdict(timing), "gb_per_s": a.nbytes / timing.ms / 1e6})
    return rows


def counted(op) -> dict:
    """The calls whose counters are read on the GPU and counted on the emulator: each launches one kernel.

    v1 to v3 only where no rounding to 16 bits follows, which is a kernel of PyTorch's.
    """
    calls = {}
    for dtype in DTYPES:
        for n in (16384, 10_000):
            a = aligned_ones((n,), dtype, op.device)
            for version in VERSIONS if dtype.itemsize > 2 else (4,):
                name = f"v{version}, {str(dtype).removeprefix('torch.')}, n = {n}"
                calls[name] = lambda v=version, a=a: op.reduce(a, v)
    return calls
