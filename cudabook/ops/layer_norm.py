"""What PyTorch must know of layer_norm over the last dimension beside its kernels.

x, grad: [..., n]; weight, bias: [n]; of one dtype, on one device, contiguous. The operator returns out, and mean and
rstd of each row, [...], in float32 (float64 for float64): they are for the backward, and have no gradient. ``version``
chooses the kernels; the fastest is the default.
"""

from functools import partial

import torch


# [fake]
def fake(x, weight, bias, eps=1e-5, version=3):
    _check_x(x)
    for t, name in ((weight, "weight"), (bias, "bias")):
        _check(t, name, x, x.dtype, x.shape[-1:])
    mean = x.new_empty(x.shape[:-1], dtype=_compute(x))
    return torch.empty_like(x), mean, torch.empty_like(mean)


def fake_backward(grad, x, mean, rstd, weight, version=2):
    _check_x(x)
    _check(grad, "grad", x, x.dtype, x.shape)
    for t, name in ((mean, "mean"), (rstd, "rstd")):
        _check(t, name, x, _compute(x), x.shape[:-1])
    _check(weight, "weight", x, x.dtype, x.shape[-1:])
    return torch.empty_like(x), torch.empty_like(weight), torch.empty_like(weight)


def _compute(x):
    return torch.promote_types(x.dtype, torch.float32)


def _check_x(x):
    torch._check_value(x.dim() > 0, lambda: "layer_norm: x has no dimension, expected one or more.")
    torch._check_value(x.is_contiguous(), lambda: "layer_norm: x is not contiguous. Call x.contiguous() first.")


def _check(t, name, x, dtype, shape):
    expected = f"expected {dtype} of shape {tuple(shape)} on {x.device}"
    message = f"layer_norm: {name} is {t.dtype} of shape {tuple(t.shape)} on {t.device}, {expected}."
    strided = f"layer_norm: {name} is not contiguous. Call {name}.contiguous() first."
    torch._check_type(t.dtype == dtype, lambda: message)
    torch._check_value(t.shape == shape and t.device == x.device, lambda: message)
    torch._check_value(t.is_contiguous(), lambda: strided)
# [/fake]


# [gradient]
def save(ctx, inputs, output):
    x, weight, _, _, version = inputs
    _, mean, rstd = output
    ctx.version = min(version, 2)  # of the backward there are two
    ctx.mark_non_differentiable(mean, rstd)
    ctx.save_for_backward(x, mean, rstd, weight)


def gradient(ops, ctx, grad, *_):
    grads = ops.layer_norm_backward(grad.contiguous(), *ctx.saved_tensors, ctx.version)
    needed = zip(grads, ctx.needs_input_grad, strict=False)
    return *(g if need else None for g, need in needed), None, None
# [/gradient]


# [double]
def save_backward(ctx, inputs, output):
    *tensors, _ = inputs
    ctx.save_for_backward(*tensors)


def double_gradient(ctx, ddx, ddweight, ddbias):
    """dx, dweight and dbias as functions of grad, x and weight; mean and rstd follow from x.

    ddx, ddweight, ddbias: the gradients that come in for these three.
    """
    saved = (*ctx.saved_tensors, ddx, ddweight, ddbias)
    grad, x, _, rstd, weight, ddx, ddweight, ddbias = (t.to(_compute(t)) for t in saved)
    # As functions of x, for third derivatives: what was saved is a number. eps is what is left of 1 / rstd^2.
    var, mean = torch.var_mean(x, -1, correction=0, keepdim=True)
    rstd = (var + (rstd[..., None] ** -2 - var).detach()).rsqrt()
    y = (x - mean) * rstd
    g = grad * weight

    def row_mean(t):
        return t.mean(-1, keepdim=True)

    def through_y(t):
        """From a gradient for y to one for x; dx is through_y(g)."""
        return rstd * (t - row_mean(t) - y * row_mean(t * y))

    to_g = through_y(ddx)
    to_grad = to_g * weight + ddweight * y + ddbias
    to_weight = (to_g * grad).reshape(-1, weight.numel()).sum(0)
    to_y = ddweight * grad - rstd * (ddx * row_mean(g * y) + g * row_mean(ddx * y))
    to_x = through_y(to_y) - rstd * y * row_mean(ddx * through_y(g))  # the second: by way of rstd
    dtype = ctx.saved_tensors[1].dtype
    return to_grad.to(dtype), to_x.to(dtype), None, None, to_weight.to(dtype), None
# [/double]


def register(namespace: str) -> None:
    """Register all of this with the operators of one loaded library."""
    ops = getattr(torch.ops, namespace)
    forward, backward = f"{namespace}::layer_norm", f"{namespace}::layer_norm_backward"
    torch.library.register_fake(forward, fake)
    torch.library.register_fake(backward, fake_backward)
    torch.library.register_autograd(forward, partial(gradient, ops), setup_context=save)
    torch.library.register_autograd(backward, double_gradient, setup_context=save_backward)


# [module]
class LayerNorm(torch.nn.Module):
    """Layer norm over the last dimension with a learned weight and bias.

    Args:
        op: what ``cudabook.load("layer_norm")`` returns.
        features: the last size of x.
        eps: added to the variance.
        device, dtype: of weight and bias; by default where op runs, and torch's default dtype.
    """

    def __init__(self, op, features: int, eps: float = 1e-5, device=None, dtype=None):
        super().__init__()
        self.operator, self.eps = op.layer_norm, eps
        self.weight, self.bias = (
            torch.nn.Parameter(make(features, device=device or op.device, dtype=dtype))
            for make in (torch.ones, torch.zeros)
        )

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """x: [..., features], of the dtype of the weight. Returns out alone."""
        return self.operator(x.contiguous(), self.weight, self.bias, self.eps)[0]
# [/module]
