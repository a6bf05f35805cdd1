"""What PyTorch must know of ``gelu(x + bias) + residual`` beside its kernels.

x, residual: [..., n]; bias: [n]; all of one dtype, on one device, contiguous. ``approximate`` is 'none' or 'tanh'.
``version`` chooses the kernels; the fastest is the default.
"""

import math
from functools import partial

import torch
from torch.autograd.function import once_differentiable


# [fake]
def fake(x, bias, residual, approximate="none", version=3):
    _check(x, bias, residual, "residual")
    return torch.empty_like(x)


def fake_backward(grad, x, bias, approximate="none", version=3):
    _check(x, bias, grad, "grad")
    return torch.empty_like(x), torch.empty_like(bias)


def _check(x, bias, other, name):
    for t, shape, what in (
        (x, x.shape, "x"),
        (bias, x.shape[-1:], "bias"),
        (other, x.shape, name),
    ):
        expected = f"expected {x.dtype} of shape {tuple(shape)} on {x.device}"
        found = f"{what} is {t.dtype} of shape {tuple(t.shape)} on {t.device}"
        message = f"bias_gelu_residual: {found}, {expected}."
        strided = (f"bias_gelu_residual: {what} is not contiguous. "
                   f"Call {what}.contiguous() first.")
        placed = t.shape == shape and t.device == x.device
        torch._check_type(t.dtype == x.dtype, lambda m=message: m)
        torch._check_value(placed, lambda m=message: m)
        torch._check_value(t.is_contiguous(), lambda m=strided: m)
# [/fake]


# [gradient]
def save(ctx, inputs, output):
    x, bias, _, ctx.approximate, ctx.version = inputs
    ctx.save_for_backward(x, bias)


def gradient(ops, ctx, grad):
    needs_x, needs_bias, needs_residual, *_ = ctx.needs_input_grad
    dx = dbias = None
    if needs_x or needs_bias:  # one pass gives both
        x, bias = ctx.saved_tensors
        dx, dbias = ops.bias_gelu_residual_backward(
            grad.contiguous(), x, bias, ctx.approximate, ctx.version
        )
    return (
        dx if needs_x else None,
        dbias if needs_bias else None,
        grad if needs_residual else None,
        None,
        None,
    )
# [/gradient]


# [derivatives]
def derivatives(u, approximate):
    """The first and the second derivative of gelu at u."""
    if approximate == "tanh":
        scale, cubic = math.sqrt(2 / math.pi), 0.044715
        k, k1 = scale * (u + cubic * u**3), scale * (1 + 3 * cubic * u**2)
        k2 = scale * 6 * cubic * u
        t = torch.tanh(k)
        t1 = 1 - t * t
        second = t1 * k1 + 0.5 * u * t1 * (k2 - 2 * t * k1 * k1)
        return 0.5 * (1 + t + u * t1 * k1), second
    pdf = torch.exp(-0.5 * u * u) / math.sqrt(2 * math.pi)
    return 0.5 * torch.erfc(-u / math.sqrt(2)) + u * pdf, pdf * (2 - u * u)
# [/derivatives]


# [double]
def save_backward(ctx, inputs, output):
    *tensors, ctx.approximate, _ = inputs
    ctx.save_for_backward(*tensors)


def double_gradient(ctx, ddx, ddbias):
    """dx = grad gelu'(x + bias), and dbias is its sum over the rows.

    ddx, ddbias: the gradients that come in for these two.
    """
    grad, x, bias = (
        t.to(torch.promote_types(t.dtype, torch.float32)) for t in ctx.saved_tensors
    )
    first, second = derivatives(x + bias, ctx.approximate)
    reaches_dx = ddx + ddbias  # dbias hands its share to each row
    to_x = reaches_dx * grad * second
    results = reaches_dx * first, to_x, to_x.reshape(-1, bias.numel()).sum(0)
    wanted = zip(results, ctx.saved_tensors, ctx.needs_input_grad, strict=False)
    grads = [r.to(saved.dtype) if needed else None for r, saved, needed in wanted]
    return *grads, None, None
# [/double]


# [vmap]
def vmap(ops, info, in_dims, x, bias, residual, approximate="none", version=3):
    size = info.batch_size
    if in_dims[1] is None:  # one bias for all: the batch is more rows
        x, residual = _first(x, in_dims[0], size), _first(residual, in_dims[2], size)
        return ops.bias_gelu_residual(x, bias, residual, approximate, version), 0
    x, bias, residual = (
        _fold(t, dim, size)
        for t, dim in zip((x, bias, residual), in_dims, strict=False)
    )
    out = ops.bias_gelu_residual(x, bias, residual, approximate, version)
    return _unfold(out, size), 0


def vmap_backward(ops, info, in_dims, grad, x, bias, approximate="none", version=3):
    """Always folded: each member of the batch has its own gradient of the bias."""
    size = info.batch_size
    grad, x, bias = (
        _fold(t, dim, size)
        for t, dim in zip((grad, x, bias), in_dims, strict=False)
    )
    dx, dbias = ops.bias_gelu_residual_backward(grad, x, bias, approximate, version)
    return (_unfold(dx, size), _unfold(dbias, size)), (0, 0)


def _first(t, dim, size):
    """The batch as first dimension."""
    return (
        t.expand(size, *t.shape) if dim is None else t.movedim(dim, 0)
    ).contiguous()


def _fold(t, dim, size):
    """[..., n] for each of the batch becomes [..., size * n].

    What has a bias of its own gets columns of its own.
    """
    t = _first(t, dim, size).movedim(0, -2)
    return t.reshape(*t.shape[:-2], size * t.shape[-1]).contiguous()


def _unfold(t, size):
    return t.reshape(*t.shape[:-1], size, t.shape[-1] // size).movedim(-2, 0)
# [/vmap]


# [autocast]
def autocast(ops, device_type, x, bias, residual, approximate="none", version=3):
    """All three are cast to autocast's dtype; float64 stays, as in PyTorch."""
    dtype = torch.get_autocast_dtype(device_type)
    tensors = (
        t if t.dtype == torch.float64 else t.to(dtype) for t in (x, bias, residual)
    )
    with torch.autocast(device_type, enabled=False):
        return ops.bias_gelu_residual(*tensors, approximate, version)
# [/autocast]


# [register]
def register(namespace: str) -> None:
    """Register all of this with the operators of one loaded library."""
    ops = getattr(torch.ops, namespace)
    forward, backward = (
        f"{namespace}::bias_gelu_residual",
        f"{namespace}::bias_gelu_residual_backward",
    )
    torch.library.register_fake(forward, fake)
    torch.library.register_fake(backward, fake_backward)
    torch.library.register_autograd(
        forward, partial(gradient, ops), setup_context=save
    )
    torch.library.register_autograd(
        backward, double_gradient, setup_context=save_backward
    )
    torch.library.register_vmap(forward, partial(vmap, ops))
    torch.library.register_vmap(backward, partial(vmap_backward, ops))
    # torch.library.register_autocast casts to one dtype, whatever autocast's is.
    library = torch.library.Library(namespace, "FRAGMENT")
    for device_type in ("cuda", "cpu"):
        library.impl(
            "bias_gelu_residual",
            partial(autocast, ops, device_type),
            f"Autocast{device_type.upper()}",
        )
    _libraries.append(library)  # what it registered goes when it goes


_libraries = []
# [/register]


# [module]
class BiasGeluResidual(torch.nn.Module):
    """gelu(x + bias) + residual with a learned bias.

    Args:
        op: what ``cudabook.load("bias_gelu_residual")`` returns.
        features: the last size of x and residual.
        approximate: 'none' or 'tanh'.
        device, dtype: of the bias; by default where op runs, and torch's default dtype.
    """

    def __init__(
        self, op, features: int, approximate: str = "none", device=None, dtype=None
    ):
        super().__init__()
        self.operator, self.approximate = op.bias_gelu_residual, approximate
        self.bias = torch.nn.Parameter(
            torch.zeros(features, device=device or op.device, dtype=dtype)
        )

    def forward(self, x: torch.Tensor, residual: torch.Tensor) -> torch.Tensor:
        return self.operator(
            x.contiguous(), self.bias, residual.contiguous(), self.approximate
        )
# [/module]


# [function]
class BiasGeluResidualFunction(torch.autograd.Function):
    """The same by pybind11: ``apply(x, bias, residual, approximate, kernels)``.

    ``kernels`` is ``cudabook.load("bias_gelu_residual", binding="pybind")``. PyTorch
    sees into neither of its functions. A second derivative is refused where
    ``once_differentiable`` can see that one is wanted: where the incoming gradient
    itself requires a gradient.
    """

    @staticmethod
    def forward(x, bias, residual, approximate, kernels):
        return kernels.forward(x, bias, residual, approximate)

    @staticmethod
    def setup_context(ctx, inputs, output):
        x, bias, _, ctx.approximate, ctx.kernels = inputs
        ctx.save_for_backward(x, bias)

    @staticmethod
    @once_differentiable
    def backward(ctx, grad):
        needs_x, needs_bias, needs_residual, *_ = ctx.needs_input_grad
        dx = dbias = None
        if needs_x or needs_bias:
            dx, dbias = ctx.kernels.backward(
                grad.contiguous(), *ctx.saved_tensors, ctx.approximate
            )
        return (
            dx if needs_x else None,
            dbias if needs_bias else None,
            grad if needs_residual else None,
            None,
            None,
        )
# [/function]


# [twice]
class BackwardFunction(torch.autograd.Function):
    """dx and dbias, as a function of grad, x and bias with a gradient of its own."""

    @staticmethod
    def forward(grad, x, bias, approximate, kernels):
        return kernels.backward(grad.contiguous(), x, bias, approximate)

    setup_context = staticmethod(save_backward)
    backward = staticmethod(double_gradient)


class TwiceDifferentiableFunction(BiasGeluResidualFunction):
    """BiasGeluResidualFunction with a true double backward.

    torch.func.grad takes it too; vmap has no rule for it.
    """

    @staticmethod
    def backward(ctx, grad):
        dx, dbias = BackwardFunction.apply(
            grad, *ctx.saved_tensors, ctx.approximate, ctx.kernels
        )
        return dx, dbias, grad, None, None
# [/twice]
