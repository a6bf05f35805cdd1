"""What is measured of softmax. Called by ``cudabook record softmax`` and by pages on a GPU.

Rows: ``ms`` is the median time of one call in milliseconds, ``ms_low`` and ``ms_high`` its 10th and 90th percentile;
``rows`` and ``n`` are the sizes of x; ``gb_per_s`` counts 10^9 bytes a second, of the bytes that cannot be avoided: x
and out, once each, forward; grad, out and dx backward. So it is comparable between versions that move more and those
that do not.

- experiments 'forward' and 'backward', at 16384 x 4096: v1 to v4 (of the backward there is one, 'v1'), 'torch'
  (torch.softmax, and its backward), and 'copy', which moves as many bytes from one tensor to another.
- experiments 'forward by width' and 'backward by width', bfloat16: the same over n from 128 to 65536, with as many rows
  as make 2^26 elements.
"""

import dataclasses

import torch

from cudabook import bench

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
    check(forward, backward, x, grad, out)
    common = {"dtype": str(dtype).removeprefix("torch."), "rows": shape[0], "n": shape[1]}
    rows = []
    for experiment, calls, passes in (("forward", forward, 2), ("backward", backward, 3)):
        source = torch.empty(passes * x.nbytes // 2, device=op.device, dtype=torch.uint8)
        target = torch.empty_like(source)
        calls = {**calls, "copy": lambda source=source, target=target: target.copy_(source)}
        for name, timing in bench.compare(calls, **options).items():
            rows.append({"experiment": experiment + suffix, "version": name, **common, **dataclasses.asdict(timing),
                         "gb_per_s": passes * x.nbytes / timing.ms / 1e6})
    return rows


def check(forward, backward, x, grad, out) -> None:
    """Every call gives the result that PyTorch computes in float64, on some of the rows."""
    some = slice(None, None, max(1, x.shape[0] // 256))
    wanted = torch.softmax(x[some].double(), -1)
    saved = out[some].double()
    dx = saved * (grad[some].double() - (grad[some].double() * saved).sum(-1, keepdim=True))
    for name, call in forward.items():
        assert_close(call()[some], wanted, f"forward, {name}")
    for name, call in backward.items():
        assert_close(call()[some], dx, f"backward, {name}")


def assert_close(got, want, what) -> None:
    """Within the rounding of the dtype, and of a value that float16 cannot hold in full."""
    worst = ((got.double() - want).abs().max() / want.abs().max()).item()
    assert worst < 2 * torch.finfo(got.dtype).eps + 1e-5, f"{what}: off by {worst:.1e} of the largest value"


def counted(op) -> dict:
    """The calls whose counters are read on the GPU and counted on the emulator: each launches one kernel."""
    calls = {}
    for dtype in DTYPES:
        for rows, n in ((64, 512), (33, 65), (4, 4096)):
            x = aligned(torch.ones(rows * n + 256, device=op.device, dtype=dtype), rows * n).view(rows, n)
            name = f"{str(dtype).removeprefix('torch.')}, {rows} x {n}"
            for version in (1, 2, 3, 4):
                calls[f"forward v{version}, {name}"] = lambda v=version, x=x: op.softmax(x, v)
            calls[f"backward v1, {name}"] = lambda x=x: op.softmax_backward(x, x)
    return calls


def aligned(t, n):
    """n elements of t that start at a multiple of 256 bytes."""
    start = -(t.data_ptr() // t.element_size()) % (256 // t.element_size())
    return t[start : start + n]
