"""What is measured of vector_add. Called by ``cudabook record vector_add`` and by pages on a GPU.

Rows: ``n`` is the number of elements; the keys of ``bench.measure``, of which 'overhead' and 'clock' have the times.
Bytes count each element read or written once.

- experiment 'bandwidth': 1 GiB a tensor, for each dtype: v1, v2, v3, torch.add, and 'copy'.
- experiment 'overhead': float32, n from 1 to 2^26, calls back to back as a Python program makes them; beside the
  operator also 'pybind' (v1 through the other binding) and 'v3, inference mode' (no autograd).
- experiment 'clock': v3 at 2^28 float32, timed by three methods.
"""

import dataclasses
import time

import torch

import cudabook
from cudabook import bench
from cudabook.counters import aligned_ones

GIB = 2**30


def measure(op) -> list[dict]:
    torch.manual_seed(0)
    return [*bandwidth(op), *overhead(op), *clock(op)]


def counted(op) -> dict:
    """The calls whose counters are read on the GPU and counted on the emulator: each launches one kernel."""
    calls = {}
    for dtype in (torch.float32, torch.float64, torch.float16, torch.bfloat16):
        for n in (16384, 10_000):
            aligned = [aligned_ones((n,), dtype, op.device) for _ in range(2)]
            for version in (1, 2, 3):
                name = f"v{version}, {str(dtype).removeprefix('torch.')}, n = {n}"
                calls[name] = lambda v=version, pair=aligned: op.vector_add(*pair, v)
    return calls


def bandwidth(op) -> list[dict]:
    rows = []
    for dtype in (torch.float32, torch.float64, torch.float16, torch.bfloat16):
        n = GIB // dtype.itemsize
        a, b = (torch.randn(n, device="cuda", dtype=dtype) for _ in range(2))
        calls = {f"v{v}": lambda v=v, a=a, b=b: op.vector_add(a, b, v) for v in (1, 2, 3)}
        calls["torch.add"] = lambda a=a, b=b: torch.add(a, b)

        def check(name, got, a=a, b=b):
            assert torch.equal(got, a + b), f"{name} is wrong for {a.dtype}"

        common = {"experiment": "bandwidth", "dtype": str(dtype).removeprefix("torch."), "n": n}
        rows += [common | row for row in bench.measure(calls, check, "torch.add", nbytes=3 * GIB)]
    return rows


def overhead(op) -> list[dict]:
    pybind = cudabook.load(op.name, op.target, binding="pybind")
    rows = []
    for n in (2**k for k in range(27)):
        a, b = (torch.randn(n, device="cuda") for _ in range(2))
        calls = {"v1": lambda a=a, b=b: op.vector_add(a, b, 1), "v3": lambda a=a, b=b: op.vector_add(a, b, 3),
                 "torch.add": lambda a=a, b=b: torch.add(a, b)}
        calls |= {"pybind": lambda a=a, b=b: pybind.vector_add(a, b), "v3, inference mode": calls["v3"]}
        for name, call in calls.items():
            with torch.inference_mode("inference" in name):
                timing = bench.back_to_back(call)
            rows.append({"experiment": "overhead", "version": name, "dtype": "float32", "n": n,
                         **dataclasses.asdict(timing), "gb_per_s": 12 * n / timing.ms / 1e6})
    return rows


def clock(op) -> list[dict]:
    n = 2**28
    a, b = (torch.randn(n, device="cuda") for _ in range(2))

    def perf_counter(synchronise: bool) -> float:
        torch.cuda.synchronize()
        start = time.perf_counter()
        op.vector_add(a, b, 3)
        if synchronise:
            torch.cuda.synchronize()
        return (time.perf_counter() - start) * 1e3

    methods = {
        "perf_counter, no synchronise": bench.Timing.of([perf_counter(False) for _ in range(50)]),
        "perf_counter, synchronise": bench.Timing.of([perf_counter(True) for _ in range(50)]),
        "events": bench.compare({"v3": lambda: op.vector_add(a, b, 3)})["v3"],
    }
    return [{"experiment": "clock", "method": method, "version": "v3", "dtype": "float32", "n": n,
             **dataclasses.asdict(timing)} for method, timing in methods.items()]
