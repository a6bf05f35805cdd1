"""What is measured of softmax. Called by ``cudabook record softmax`` and by pages on a GPU.

Rows: the keys of ``bench.measure``; ``rows`` and ``n`` are the sizes of x. Bytes are those that cannot be avoided:
x and out, once each, forward; grad, out and dx backward. So rows are comparable between versions that move more and
those that do not.

- experiments 'forward' and 'backward', at 16384 x 4096: v1 to v4 (of the backward there is one, 'v1'), 'torch'
  (torch.softmax, and its backward), and 'copy'.
- experiments 'forward by width' and 'backward by width', bfloat16: the same over n from 128 to 65536, with as many rows
  as make 2^26 elements.
"""

import torch

from cudabook import bench
from cudabook.counters import aligned_ones

MAIN = (16384, 4096)
WIDTHS = [2**k for k in range(7, 17)]
ELEMENTS = 2**26
DTYPES = [torch.float32, torch.bfloat16, torch.float16]
REPEATS = 15  # of the curves; elsewhere bench.compare's own


def measure(op) -> list[dict]:
    torch.manual_seed(0)
    rows = [row for dtype in DTYPES for row in one_case(op, dtype, MAIN)]
    for n in WIDTHS:
        rows += one_case(op, torch.bfloat16, (ELEMENTS // n, n), " by width", repeats=REPEATS)
    return rows


def one_case(op, dtype, shape, suffix="", **options) -> list[dict]:
    """Both experiments on one pair of tensors."""
    x, grad = (torch.randn(shape, device=op.device, dtype=dtype) for _ in range(2))
    out = torch.softmax(x, -1)
    forward = {
        **{f"v{v}": lambda v=v: op.softmax(x, v) for v in (1, 2, 3, 4)},
        "torch": lambda: torch.softmax(x, -1),
    }
    backward = {
        "v1": lambda: op.softmax_backward(grad, out),
        "torch": lambda: torch.ops.aten._softmax_backward_data(grad, out, -1, dtype),
    }
    forward_check, backward_check = checks(x, grad, out)
    common = {"dtype": str(dtype).removeprefix("torch."), "rows": shape[0], "n": shape[1]}
    rows = []
    for experiment, calls, check, passes in (("forward", forward, forward_check, 2),
                                             ("backward", backward, backward_check, 3)):
        measured = bench.measure(calls, check, "torch", nbytes=passes * x.nbytes, **options)
        rows += [{"experiment": experiment + suffix, **common, **row} for row in measured]
    return rows


def checks(x, grad, out):
    """Two functions that compare with what PyTorch computes in float64, on some of the rows."""
    some = slice(None, None, max(1, x.shape[0] // 256))
    wanted = torch.softmax(x[some].double(), -1)
    saved = out[some].double()
    dx = saved * (grad[some].double() - (grad[some].double() * saved).sum(-1, keepdim=True))
    return (lambda name, got: assert_close(got[some], wanted, f"forward, {name}"),
            lambda name, got: assert_close(got[some], dx, f"backward, {name}"))


def assert_close(got, want, what) -> None:
    """Within the rounding of the dtype, and of a value that float16 cannot hold in full."""
    worst = ((got.double() - want).abs().max() / want.abs().max()).item()
    assert worst < 2 * torch.finfo(got.dtype).eps + 1e-5, f"{what}: off by {worst:.1e} of the largest value"


def counted(op) -> dict:
    """The calls whose counters are read on the GPU and counted on the emulator: each launches one kernel."""
    calls = {}
    for dtype in DTYPES:
        for rows, n in ((64, 512), (33, 65), (4, 4096)):
            x = aligned_ones((rows, n), dtype, op.device)
            name = f"{str(dtype).removeprefix('torch.')}, {rows} x {n}"
            for version in (1, 2, 3, 4):
                calls[f"forward v{version}, {name}"] = lambda v=version, x=x: op.softmax(x, v)
            calls[f"backward v1, {name}"] = lambda x=x: op.softmax_backward(x, x)
    return calls
