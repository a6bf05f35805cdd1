"""What is measured of matmul. Called by ``cudabook record matmul`` and by pages on a GPU.

Rows, all of square matrices (``n``) of normal numbers: ``dtype``, ``n`` and the keys of ``bench.measure``.
'cuBLAS' is ``torch.mm``, float32 without TF32. Slow versions are left out at large sizes.
"""

import torch

from cudabook import bench
from cudabook.counters import aligned_ones

SIZES = (1024, 2048, 4096, 8192)
VERSIONS = {torch.float32: range(1, 10), torch.bfloat16: (3, 5, 10, 11), torch.float16: (10, 11)}
SLOW = 5  # versions before this one are measured up to 4096


def measure(op) -> list[dict]:
    torch.manual_seed(0)
    torch.backends.cuda.matmul.allow_tf32 = False
    rows = []
    for dtype, versions in VERSIONS.items():
        for n in SIZES:
            a, b = (torch.randn(n, n, device=op.device, dtype=dtype) for _ in range(2))
            calls = {f"v{v}": lambda v=v, a=a, b=b: op.matmul(a, b, v) for v in versions if v >= SLOW or n <= 4096}
            calls["cuBLAS"] = lambda a=a, b=b: torch.mm(a, b)
            name = str(dtype).removeprefix("torch.")
            measured = bench.measure(calls, checker(a, b), "cuBLAS", flops=2 * n**3, nbytes=3 * a.nbytes, dtype=name,
                                     repeats=30 if n < 8192 else 10)
            rows += [{"dtype": name, "n": n, **row} for row in measured]
    return rows


def checker(a, b):
    """Compares a product with float64's, on 64 rows, in norm: half a rounding and that of sums."""
    rows = torch.linspace(0, len(a) - 1, 64, device=a.device).long()
    wanted = a[rows].double() @ b.double()
    limit = torch.finfo(a.dtype).eps / 2 + torch.finfo(torch.float32).eps * len(b) ** 0.5

    def check(name, c):
        error = ((c[rows].double() - wanted).norm() / wanted.norm()).item()
        assert error < limit and c.isfinite().all(), f"{name}: off by {error:.1e}, in norm; {limit:.1e} is allowed"

    return check


def counted(op) -> dict:
    """The calls whose counters are read on the GPU and counted on the emulator: each launches one kernel."""
    calls = {}
    for dtype, versions in VERSIONS.items():
        for m, n, k in ((128, 256, 64), (100, 72, 40)):
            a, b = (aligned_ones(shape, dtype, op.device) for shape in ((m, k), (k, n)))
            for version in versions:
                name = f"v{version}, {str(dtype).removeprefix('torch.')}, {m} x {n} x {k}"
                calls[name] = lambda v=version, a=a, b=b: op.matmul(a, b, v)
    return calls
