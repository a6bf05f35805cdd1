"""What PyTorch must know of transpose beside its kernels: the shape of its result, and its gradient.

a: [rows, n], contiguous, float32, float64, float16 or bfloat16. The result is [n, rows], contiguous: unlike ``a.t()``,
which is a view. ``version`` chooses the kernel; the fastest is the default.
"""

from functools import partial

import torch


def fake(a, version=5):
    shape = f"transpose: a has shape {tuple(a.shape)}, expected two dimensions. Reshape it to [rows, n]."
    strided = "transpose: a is not contiguous. Call a.contiguous() first."
    torch._check_value(a.dim() == 2, lambda: shape)
    torch._check_value(a.is_contiguous(), lambda: strided)
    return a.new_empty((a.shape[1], a.shape[0]))


def save(ctx, inputs, output):
    ctx.version = inputs[1]


def gradient(ops, ctx, grad):
    return ops.transpose(grad.contiguous(), ctx.version), None


def register(namespace: str) -> None:
    """Register the fake and the gradient with the operators of one loaded library."""
    name = f"{namespace}::transpose"
    torch.library.register_fake(name, fake)
    torch.library.register_autograd(name, partial(gradient, getattr(torch.ops, namespace)), setup_context=save)
