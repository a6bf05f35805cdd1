"""What is measured of layer_norm. Called by ``cudabook record layer_norm`` and by pages on a GPU.

Rows: the keys of ``bench.measure``; ``rows`` and ``n`` are the sizes of x. Bytes are those that cannot be avoided:
x and out, once each, forward; grad, x and dx backward. What is small (weight, bias, mean, rstd) is left out.

- experiments 'forward' and 'backward', at 16384 x 4096: v1, v2, v3 (of the backward v1 and v2), 'torch'
  (native_layer_norm, and its backward), and 'copy'.
- experiments 'forward by width' and 'backward by width', bfloat16: the same over n from 128 to 65536, with as many rows
  as make 2^26 elements; without the backward's v1, whose threads walk down a column, which takes long where n is small.
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
    """Both experiments on one set of tensors."""
    n = shape[1]
    x, grad = (torch.randn(shape, device=op.device, dtype=dtype) for _ in range(2))
    weight, bias = (torch.randn(n, device=op.device, dtype=dtype) for _ in range(2))
    _, mean, rstd = op.layer_norm(x, weight, bias)
    saved = torch.native_layer_norm(x, (n,), weight, bias, 1e-5)[1:]
    mask = [True, True, True]
    forward = {
        **{f"v{v}": lambda v=v: op.layer_norm(x, weight, bias, version=v) for v in (1, 2, 3)},
        "torch": lambda: torch.native_layer_norm(x, (n,), weight, bias, 1e-5),
    }
    backward = {
        **{f"v{v}": lambda v=v: op.layer_norm_backward(grad, x, mean, rstd, weight, v) for v in (1, 2)},
        "torch": lambda: torch.ops.aten.native_layer_norm_backward(grad, x, (n,), *saved, weight, bias, mask),
    }
    if suffix:
        del backward["v1"]
    forward_check, backward_check = checks(x, weight, bias, grad)
    common = {"dtype": str(dtype).removeprefix("torch."), "rows": shape[0], "n": n}
    rows = []
    for experiment, calls, check, passes in (("forward", forward, forward_check, 2),
                                             ("backward", backward, backward_check, 3)):
        measured = bench.measure(calls, check, "torch", nbytes=passes * x.nbytes, **options)
        rows += [{"experiment": experiment + suffix, **common, **row} for row in measured]
    return rows


def checks(x, weight, bias, grad):
    """Two functions that compare with what PyTorch computes in float64; the sums over the rows need all of them."""
    leaves = [t.double().requires_grad_() for t in (x, weight, bias)]
    out = torch.nn.functional.layer_norm(leaves[0], x.shape[1:], *leaves[1:])
    wanted = torch.autograd.grad(out, leaves, grad.double())

    def backward(name, got):
        for ours, theirs in zip(got, wanted, strict=True):
            assert_close(name, ours, theirs, "backward")

    return lambda name, got: assert_close(name, got[0], out, "forward"), backward


def assert_close(name, got, want, what) -> None:
    """Within the rounding of the dtype, and 1e-4 for sums of many rows; PyTorch's own may round on the way."""
    worst = ((got.double() - want).abs().max() / want.abs().max()).item()
    allowed = 0.05 if name == "torch" else 2 * torch.finfo(got.dtype).eps + 1e-4
    assert worst < allowed, f"{what}, {name}: off by {worst:.1e} of the largest value"


def counted(op) -> dict:
    """The calls whose counters are read on the GPU and counted on the emulator: each launches one kernel."""
    calls = {}
    for dtype in DTYPES:
        for rows, n in ((64, 512), (33, 65), (4, 4096)):
            x, weight = (aligned_ones(shape, dtype, op.device) for shape in ((rows, n), (n,)))
            for version in (1, 2, 3):
                name = f"forward v{version}, {str(dtype).removeprefix('torch.')}, {rows} x {n}"
                calls[name] = lambda v=version, x=x, weight=weight: op.layer_norm(x, weight, weight, version=v)
    return calls
