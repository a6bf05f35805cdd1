"""What is measured of transpose. Called by ``cudabook record transpose`` and by pages on a GPU.

Rows: the keys of ``bench.measure``; ``rows`` and ``n`` are the sizes of a. Bytes are those of a, read once and written
once.

- experiment 'bandwidth': v1 to v5, 'eager' (PyTorch's ``a.t().contiguous()``) and 'copy' (of a to another tensor).
"""

import torch

from cudabook import bench
from cudabook.counters import aligned_ones

MAIN = (8192, 8192)
OTHER_SIZES = [(16384, 16384), (8191, 8191), (100_000, 512), (512, 100_000), (1024, 1024)]
DTYPES = [torch.float32, torch.bfloat16, torch.float64]
VERSIONS = (1, 2, 3, 4, 5)


def measure(op) -> list[dict]:
    torch.manual_seed(0)
    cases = [(dtype, MAIN) for dtype in DTYPES] + [(d, shape) for d in DTYPES[:2] for shape in OTHER_SIZES]
    return [row for dtype, shape in cases for row in bandwidth(op, dtype, shape)]


def bandwidth(op, dtype, shape) -> list[dict]:
    a = torch.randn(shape, device=op.device, dtype=dtype)
    calls = {f"v{v}": lambda v=v: op.transpose(a, v) for v in VERSIONS}
    calls["eager"] = lambda: a.t().contiguous()

    def check(name, got):
        assert torch.equal(got, a.t()), f"{name} is wrong for {dtype}, {shape}"

    common = {"dtype": str(dtype).removeprefix("torch."), "rows": shape[0], "n": shape[1]}
    measured = bench.measure(calls, check, "eager", nbytes=2 * a.nbytes)
    return [{"experiment": "bandwidth", **common, **row} for row in measured]


def counted(op) -> dict:
    """The calls whose counters are read on the GPU and counted on the emulator: each launches one kernel."""
    calls = {}
    for dtype in DTYPES:
        for rows, n in ((128, 256), (70, 130), (33, 65)):
            a = aligned_ones((rows, n), dtype, op.device)
            for version in VERSIONS:
                name = f"v{version}, {str(dtype).removeprefix('torch.')}, {rows} x {n}"
                calls[name] = lambda v=version, a=a: op.transpose(a, v)
    return calls
