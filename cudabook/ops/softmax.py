"""What PyTorch must know of softmax over the last dimension beside its kernels.

x, grad, out: [..., n], contiguous. ``version`` chooses the kernels of the forward; the fastest is the default.
"""

from functools import partial

import torch


# [fake]
def fake(x, version=4):
    _check(x, "x", x)
    return torch.empty_like(x)


def fake_backward(grad, out):
    _check(grad, "grad", grad)
    _check(out, "out", grad)
    return torch.empty_like(out)


def _check(t, name, like):
    expected = f"expected {like.dtype} of shape {tuple(like.shape)} on {like.device}"
    message = f"softmax: {name} is {t.dtype} of shape {tuple(t.shape)} on {t.device}, {expected}."
    strided = f"softmax: {name} is not contiguous. Call {name}.contiguous() first."
    torch._check_value(t.dim() > 0, lambda: f"softmax: {name} has no dimension, expected one or more.")
    torch._check_type(t.dtype == like.dtype, lambda: message)
    torch._check_value(t.shape == like.shape and t.device == like.device, lambda: message)
    torch._check_value(t.is_contiguous(), lambda: strided)
# [/fake]


# [gradient]
def save(ctx, inputs, output):
    ctx.save_for_backward(output)


def gradient(ops, ctx, grad):
    out, = ctx.saved_tensors
    return ops.softmax_backward(grad.contiguous(), out), None
# [/gradient]


# [double]
def save_backward(ctx, inputs, output):
    ctx.save_for_backward(*inputs)


def double_gradient(ctx, ddx):
    """dx = out * (grad - sum(grad * out)); ddx: the gradient that comes in for dx."""
    grad, out, ddx = (t.to(torch.promote_types(t.dtype, torch.float32)) for t in (*ctx.saved_tensors, ddx))
    through = (ddx * out).sum(-1, keepdim=True)
    to_grad = out * (ddx - through)
    to_out = ddx * (grad - (grad * out).sum(-1, keepdim=True)) - grad * through
    dtype = ctx.saved_tensors[0].dtype
    return to_grad.to(dtype), to_out.to(dtype)
# [/double]


# [vmap]
def vmap(ops, info, in_dims, x, version=4):
    return ops.softmax(x.movedim(in_dims[0], 0).contiguous(), version), 0


def vmap_backward(ops, info, in_dims, *tensors):
    size = info.batch_size
    first = (
        t.expand(size, *t.shape) if dim is None else t.movedim(dim, 0)
        for t, dim in zip(tensors, in_dims, strict=True)
    )
    return ops.softmax_backward(*(t.contiguous() for t in first)), 0
# [/vmap]


def register(namespace: str) -> None:
    """Register all of this with the operators of one loaded library."""
    ops = getattr(torch.ops, namespace)
    forward, backward = f"{namespace}::softmax", f"{namespace}::softmax_backward"
    torch.library.register_fake(forward, fake)
    torch.library.register_fake(backward, fake_backward)
    torch.library.register_autograd(forward, partial(gradient, ops), setup_context=save)
    torch.library.register_autograd(backward, double_gradient, setup_context=save_backward)
    torch.library.register_vmap(forward, partial(vmap, ops))
    torch.library.register_vmap(backward, partial(vmap_backward, ops))
