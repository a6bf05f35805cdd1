"""What is measured of bias_gelu_residual. Called by ``cudabook record bias_gelu_residual`` and by pages on a GPU.

Rows: the keys of ``bench.measure``; ``rows`` and ``n`` are the sizes of x. Bytes are those that cannot be avoided: each
large tensor read or written once, which are three passes forward (x, residual, out) and three backward (grad, x, dx).
So rows are comparable between versions that move more and those that do not.

- experiments 'forward' and 'backward': v1, v2, v3 (which changes the backward only), 'eager' (PyTorch's own operators),
  'torch.compile' of the same, and 'copy'.
- experiment 'training step': forward and backward by autograd, v3 beside the same two.
- experiment 'small step': the same step for a tensor that costs nothing to compute, float32, calls back to back: what
  calling costs, by 'eager', 'operator' (v3), 'Function over pybind11', 'reduce-overhead' (torch.compile with that mode)
  and 'graph replay' (a CUDA graph of the operator's step). These rows have the times only.
"""

import dataclasses

import torch
from torch.nn.functional import gelu

import cudabook
from cudabook import bench
from cudabook.counters import aligned_ones
from cudabook.ops.bias_gelu_residual import BiasGeluResidualFunction

MAIN = (16384, 4096)
OTHER_SIZES = [(1024, 1024), (4096, 4096), (16384, 4095), (65536, 1024)]  # in bfloat16 only: compiling takes longest
DTYPES = [torch.float32, torch.bfloat16, torch.float16]


def measure(op) -> list[dict]:
    torch.manual_seed(0)
    rows = []
    for dtype in DTYPES:
        for approximate in ("none", "tanh"):
            rows += one_case(op, dtype, MAIN, approximate)
    for shape in OTHER_SIZES:
        rows += one_case(op, torch.bfloat16, shape, "none")
    return rows + small_steps(op)


def one_case(op, dtype, shape, approximate) -> list[dict]:
    """All experiments on one set of tensors."""
    torch.compiler.reset()  # else what is compiled for one size would be reused, or given up, for the next
    x, residual, grad = (torch.randn(shape, device=op.device, dtype=dtype) for _ in range(3))
    bias = torch.randn(shape[-1], device=op.device, dtype=dtype)
    three_passes = 3 * x.nbytes

    def eager_forward(x, bias, residual):
        return gelu(x + bias, approximate=approximate) + residual

    def eager_backward(grad, x, bias):
        dx = torch.ops.aten.gelu_backward(grad, x + bias, approximate=approximate)
        return dx, dx.sum(0)

    compiled_forward, compiled_backward = (torch.compile(f, dynamic=False) for f in (eager_forward, eager_backward))
    forward = {
        **{f"v{v}": lambda v=v: op.bias_gelu_residual(x, bias, residual, approximate, v) for v in (1, 2)},
        "eager": lambda: eager_forward(x, bias, residual),
        "torch.compile": lambda: compiled_forward(x, bias, residual),
    }
    backward = {
        **{f"v{v}": lambda v=v: op.bias_gelu_residual_backward(grad, x, bias, approximate, v) for v in (1, 2, 3)},
        "eager": lambda: eager_backward(grad, x, bias),
        "torch.compile": lambda: compiled_backward(grad, x, bias),
    }
    leaves = [t.detach().requires_grad_() for t in (x, bias, residual)]

    def step(function):
        return torch.autograd.grad(function(*leaves), leaves, grad)

    steps = {
        "v3": lambda: step(lambda *t: op.bias_gelu_residual(*t, approximate, 3)),
        "eager": lambda: step(eager_forward),
        "torch.compile": lambda: step(compiled_forward),
    }
    check = checker((x, bias, residual, grad), approximate)
    common = {"dtype": str(dtype).removeprefix("torch."), "rows": shape[0], "n": shape[1], "approximate": approximate}
    rows = []
    for experiment, calls, passes in (("forward", forward, 1), ("backward", backward, 1), ("training step", steps, 2)):
        measured = bench.measure(calls, lambda name, got, e=experiment: check(e, name, got), "eager",
                                 nbytes=passes * three_passes)
        rows += [{"experiment": experiment, **common, **row} for row in measured]
    return rows


def small_steps(op) -> list[dict]:
    """What a forward and a backward cost where the kernels have nothing to do."""
    torch.compiler.reset()
    rows, n = 16, 256
    leaves = [torch.randn(s, device=op.device, requires_grad=True) for s in ((rows, n), (n,), (rows, n))]
    grad = torch.randn(rows, n, device=op.device)
    kernels = cudabook.load(op.name, op.target, binding="pybind")
    forwards = {
        "eager": lambda x, bias, residual: gelu(x + bias) + residual,
        "operator": lambda *t: op.bias_gelu_residual(*t),
        "Function over pybind11": lambda *t: BiasGeluResidualFunction.apply(*t, "none", kernels),
        "reduce-overhead": torch.compile(lambda *t: op.bias_gelu_residual(*t), mode="reduce-overhead"),
    }
    calls = {name: lambda f=f: torch.autograd.grad(f(*leaves), leaves, grad) for name, f in forwards.items()}
    calls["graph replay"] = captured(calls["operator"])
    return [{"experiment": "small step", "version": name, "dtype": "float32", "rows": rows, "n": n,
             "approximate": "none", **dataclasses.asdict(bench.back_to_back(call))} for name, call in calls.items()]


def captured(call):
    """A call that replays what ``call`` launches."""
    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):  # once before the capture, so that nothing is loaded in it
        call()
    torch.cuda.current_stream().wait_stream(stream)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        call()
    return graph.replay


def checker(tensors, approximate):
    """A function that compares a result with what PyTorch computes in float64."""
    x, bias, residual, grad = (t.double() for t in tensors)
    leaves = [t.requires_grad_() for t in (x, bias, residual)]
    out = gelu(x + bias, approximate=approximate) + residual
    gradients = torch.autograd.grad(out, leaves, grad)

    def check(experiment, name, result):
        wanted = [out] if experiment == "forward" else gradients
        for got, want in zip([result] if experiment == "forward" else result, wanted, strict=False):
            assert_close(got, want, f"{experiment}, {name}")

    return check


def assert_close(got, want, what) -> None:
    """Within the rounding of the dtype; three roundings for PyTorch's own steps."""
    worst = ((got.double() - want).abs().max() / want.abs().max()).item()
    assert worst < 3 * torch.finfo(got.dtype).eps + 1e-5, f"{what}: off by {worst:.1e} of the largest value"


def counted(op) -> dict:
    """The calls whose counters are read on the GPU and counted on the emulator: each launches one kernel."""
    calls = {}
    for dtype in DTYPES:
        for rows, n in ((64, 512), (33, 65)):
            x, residual, bias = (aligned_ones(shape, dtype, op.device) for shape in ((rows, n), (rows, n), (n,)))
            for version in (1, 2):
                name = f"forward v{version}, {str(dtype).removeprefix('torch.')}, {rows} x {n}"
                calls[name] = lambda v=version, t=(x, bias, residual): op.bias_gelu_residual(*t, version=v)
    return calls
