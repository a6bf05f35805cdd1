"""The emulator's own speed, on one core: against numba's CUDA simulator and against plain serial C++ loops.

    python benchmarks/emulator.py

Prints a table, and what counting every access costs. Times are the best of several runs; every result is compared
with torch before it is timed.
"""

import os
import time

os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})  # before the emulator counts its cores
os.environ["NUMBA_ENABLE_CUDASIM"] = "1"  # before numba is imported

from pathlib import Path  # noqa: E402

import numpy as np  # noqa: E402
import torch  # noqa: E402
from numba import cuda, float32  # noqa: E402

import cudabook  # noqa: E402

TILE = 16


@cuda.jit
def numba_add(a, b, out):
    i = cuda.grid(1)
    if i < out.shape[0]:
        out[i] = a[i] + b[i]


@cuda.jit
def numba_matmul(a, b, c):
    tile_a = cuda.shared.array((TILE, TILE), float32)
    tile_b = cuda.shared.array((TILE, TILE), float32)
    tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
    row, col = cuda.blockIdx.y * TILE + ty, cuda.blockIdx.x * TILE + tx
    total = 0.0
    for k in range(0, a.shape[1], TILE):
        tile_a[ty, tx] = a[row, k + tx]
        tile_b[ty, tx] = b[k + ty, col]
        cuda.syncthreads()
        for i in range(TILE):
            total += tile_a[ty, i] * tile_b[i, tx]
        cuda.syncthreads()
    c[row, col] = total


def best(call, runs: int) -> float:
    """Seconds of the fastest of some runs; one more run before them warms up."""
    times = []
    for _ in range(runs + 1):
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return min(times[1:])


def vector_add(op, n: int, serial: bool) -> tuple[float, float]:
    """Seconds of the emulator, and of the serial loop or of numba's simulator, on n elements."""
    a, b, out = torch.randn(n), torch.randn(n), torch.full((n,), torch.nan)
    other = torch.full((n,), torch.nan)
    if serial:
        run_other, runs = lambda: op.add_serial(a, b, other, n), 5
    else:
        arrays = [x.numpy() for x in (a, b, other)]
        run_other, runs = lambda: numba_add[(n + 255) // 256, 256](*arrays), 1
    times = best(lambda: op.add(a, b, out, n), 5), best(run_other, runs)
    assert torch.equal(out, a + b) and torch.equal(other, a + b)
    return times


def matmul(op, n: int, serial: bool) -> tuple[float, float]:
    """Seconds of the emulator, and of the serial loop or of numba's simulator, on n x n matrices."""
    a, b, c, other = torch.randn(n, n), torch.randn(n, n), torch.full((n, n), torch.nan), torch.full((n, n), torch.nan)
    if serial:
        run_other, runs = lambda: op.matmul_serial(a, b, other, n), 5
    else:
        arrays = [x.numpy() for x in (a, b, other)]
        run_other, runs = lambda: numba_matmul[(n // TILE, n // TILE), (TILE, TILE)](*arrays), 1
    times = best(lambda: op.matmul(a, b, c, n), 5), best(run_other, runs)
    wanted = (a.double() @ b.double()).float()
    torch.testing.assert_close(c, wanted, rtol=1e-4, atol=1e-4)
    torch.testing.assert_close(other, wanted, rtol=1e-4, atol=1e-4)
    return times


def watched(call) -> tuple[float, float, float]:
    """Seconds of a launch by itself, counted, and sanitized."""
    plain = best(call, 7)
    with cudabook.profile():
        counted = best(call, 2)
    with cudabook.sanitize() as found:
        sanitized = best(call, 2)
    assert not len(found), found
    return plain, counted, sanitized


def main() -> None:
    torch.manual_seed(0)
    op = cudabook.load(Path(__file__).parent / "cu" / "emulator.cu", target="emulator")
    rows = [
        ("vector add, n = 2^20", "serial C++", *vector_add(op, 2**20, serial=True), 2**20),
        ("vector add, n = 2^12", "numba simulator", *vector_add(op, 2**12, serial=False), 2**12),
        ("tiled matmul, 256^3", "serial C++", *matmul(op, 256, serial=True), 256**2),
        ("tiled matmul, 64^3", "numba simulator", *matmul(op, 64, serial=False), 64**2),
    ]
    print(f"one core; torch {torch.__version__}, numpy {np.__version__}")
    print(f"{'work':22} {'emulator':>12} {'ns/thread':>10}   {'against':16} {'time':>12} {'emulator is':>20}")
    for work, against, ours, theirs, threads in rows:
        ratio = f"{theirs / ours:,.1f} x faster" if theirs > ours else f"{ours / theirs:,.1f} x slower"
        print(f"{work:22} {ours * 1e3:9.3f} ms {ours / threads * 1e9:10.1f}   {against:16} "
              f"{theirs * 1e3:9.3f} ms {ratio:>20}")
    print(f"\n{'watching every access':22} {'plain':>12} {'profile':>12} {'':10} {'sanitize':>12}")
    n = 2**18
    a, b, c = (torch.randn(256, 256) for _ in range(3))
    x, y = torch.randn(1024, 1024), torch.empty(1024, 1024)
    u, v, w = (torch.randn(n) for _ in range(3))
    for work, call in [
        ("tiled matmul, 256^3", lambda: op.matmul(a, b, c, 256)),
        ("softmax, 1024 x 1024", lambda: op.softmax(x, y, 1024, 1024)),
        ("vector add, n = 2^18", lambda: op.add(u, v, w, n)),
    ]:
        plain, counted, sanitized = watched(call)
        print(f"{work:22} {plain * 1e3:9.3f} ms {counted * 1e3:9.0f} ms = {counted / plain:4.1f} x "
              f"{sanitized * 1e3:11.0f} ms = {sanitized / plain:4.1f} x")
    torch.testing.assert_close(y, x.softmax(1))


if __name__ == "__main__":
    main()
