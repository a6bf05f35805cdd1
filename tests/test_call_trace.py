"""The recorded path of a call, and the passes over memory, on both targets."""

import pytest
import torch
from test_bias_gelu_residual import reference, tensors
from torch._subclasses.fake_tensor import FakeTensorMode

import cudabook
from cudabook import call_trace, figures


@pytest.fixture
def op(target):
    return cudabook.load("bias_gelu_residual", target)


def kinds(steps):
    return [step.kind for step in steps if step.kind != "aten"]


def test_forward_and_backward_under_autocast(op, device):
    inputs = tensors((4, 6), device, grad=True)
    grad = torch.randn(4, 6, device=device, dtype=torch.bfloat16)

    def call():
        with torch.autocast(device, dtype=torch.bfloat16):
            out = op.bias_gelu_residual(*inputs)
        torch.autograd.grad(out, inputs, grad)

    steps = call_trace.record(op, call)
    forward = ["operator", "autocast", "operator", "autograd", "autograd", "kernel", "autograd"]
    assert kinds(steps) == [*forward, "node", "autograd", "operator", "autograd", "kernel", "other node"]
    assert [s.depth for s in steps if s.kind == "kernel"] == [5, 4]
    kernel, after = (next(s for s in steps if s.kind == kind) for kind in ("kernel", "other node"))
    assert kernel.text == f"key {'CUDA' if device == 'cuda' else 'CPU'}: binding, launch, kernel"
    assert kernel.where.startswith("bindings.cpp:") and after.times == 3
    names = [s.text for s in steps if s.kind == "operator"]
    assert names == ["bias_gelu_residual", "bias_gelu_residual", "bias_gelu_residual_backward"]
    figure = figures.path_of_a_call(steps, "title")
    assert [t.get_text() for t in figure.axes[0].texts].count("operator bias_gelu_residual") == 2


def test_what_is_not_asked_for_is_not_passed(op, device):
    """Without autocast no autocast; without a gradient no backward node; on fake tensors no kernel."""
    inputs = tensors((4, 6), device)
    steps = call_trace.record(op, lambda: op.bias_gelu_residual(*inputs))
    assert kinds(steps) == ["operator", "autograd", "kernel"]
    mode = FakeTensorMode()
    fakes = [mode.from_tensor(t) for t in inputs]
    with mode:
        steps = call_trace.record(op, lambda: op.bias_gelu_residual(*fakes))
    assert kinds(steps) == ["operator", "autograd", "fake", "fake"]
    assert steps[-2].where.startswith("ops/bias_gelu_residual.py:")


def test_where_each_piece_is_registered(op, device):
    places = call_trace.registered(op, "bias_gelu_residual")
    assert places["CUDA" if device == "cuda" else "CPU"].startswith("bindings.cpp:")
    assert {"AutocastCPU", "AutocastCUDA", "FuncTorchBatched", "Meta", "Autograd"} <= set(places)


def test_passes(op, device):
    """Seven and four for PyTorch's chain, three and three for the operator; views and the bias do not count."""
    inputs = tensors((4, 6), device)
    eager = call_trace.passes(lambda x, b, r: torch.nn.functional.gelu((x + b).view(4, 6)) + r, inputs)
    assert eager == ([("add", 2), ("gelu", 2), ("add", 3)], [("gelu_backward", 3), ("sum", 1)])
    fused = call_trace.passes(op.bias_gelu_residual, inputs)
    assert fused == ([("bias_gelu_residual", 3)], [("bias_gelu_residual_backward", 3)])
    assert sum(n for _, n in call_trace.passes(reference, inputs)[0]) > 7
