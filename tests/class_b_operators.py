"""The operators of csrc in class_b.py's table: an entry for each."""

import dataclasses
import math
from collections.abc import Callable

import torch


@dataclasses.dataclass(frozen=True)
class Operator:
    """What the table must know of an operator.

    Attributes:
        name: its folder in ``csrc``.
        inputs: (shape, **options of torch.randn) -> the tensor arguments; the first has that shape.
        call: (operators, tensors, version) -> the output.
        reference: the same by PyTorch, of any dtype.
        casts: whether it casts its inputs under autocast, rather than refusing a mixture.
        untouched: row -> why that problem cannot touch it.
        own: row -> a check of its own, where the general one does not fit.
    """

    name: str
    inputs: Callable
    call: Callable
    reference: Callable
    versions: tuple[int | None, ...] = (1, 2, 3)
    casts: bool = False
    untouched: dict[str, str] = dataclasses.field(default_factory=dict)
    own: dict[str, Callable] = dataclasses.field(default_factory=dict)


def matrix(t):
    """t as [rows, n]; where that would need a copy, a part of it that needs one as well."""
    if t.dim() == 2:
        return t
    return t.reshape(math.prod(t.shape[:-1]), t.shape[-1]) if t.is_contiguous() else t[(0,) * (t.dim() - 2)]


def sum_beyond_32_bits(case):
    """Of 2^31 + 512 elements four are not zero, two of them beside element 2^31."""
    for version in case.versions:
        a = torch.zeros(2**31 + 512, dtype=torch.float16, device=case.device)
        a[[0, 2**31 - 1, 2**31, -1]] = torch.tensor([1.0, 2.0, 4.0, 8.0], dtype=a.dtype, device=a.device)
        out = case.call([a.requires_grad_()], version)
        grad, = torch.autograd.grad(out, a)
        assert out == 15 and grad.shape == a.shape and grad[-1] == 1


OPERATORS = [
    Operator(
        "vector_add",
        inputs=lambda shape, **options: (torch.randn(shape, **options), torch.randn(shape, **options) * 3 + 1),
        call=lambda op, tensors, version: op.vector_add(*tensors, version),
        reference=torch.add,
        untouched={"B17": "its backward uses nothing that was saved"},
    ),
    Operator(
        "bias_gelu_residual",
        inputs=lambda shape, **options: tuple(torch.randn(s, **options) for s in (shape, shape[-1:], shape)),
        call=lambda op, tensors, version: op.bias_gelu_residual(*tensors, version=version),
        reference=lambda x, bias, residual: torch.nn.functional.gelu(x + bias) + residual,
        casts=True,
    ),
    Operator(
        "transpose",
        inputs=lambda shape, **options: (torch.randn(shape, **options),),
        # The result is looked at with the axes of a, so that it must equal a.
        call=lambda op, tensors, version: op.transpose(matrix(*tensors), version).t().reshape(tensors[0].shape),
        reference=torch.clone,
        versions=(1, 2, 3, 4, 5),
    ),
    Operator(
        "reduce",
        # quarters of integers: float32 adds them without rounding, in whatever order
        inputs=lambda shape, **options: ((torch.randn(shape, **options) * 4).round() / 4,),
        call=lambda op, tensors, version: op.reduce(*tensors, version),
        reference=torch.sum,
        versions=(1, 2, 3, 4),
        untouched={"B01": "the gradient that comes in is one number"},
        own={"B07": sum_beyond_32_bits},
    ),
    Operator(
        "matmul",
        inputs=lambda shape, **options: tuple(torch.randn(s, **options) for s in (shape, 2 * shape[-1:])),
        call=lambda op, tensors, version: op.matmul(*tensors, version),
        reference=torch.matmul,
        versions=(1, 3, 5, None),
    ),
    Operator(
        "softmax",
        inputs=lambda shape, **options: (torch.randn(shape, **options),),
        call=lambda op, tensors, version: op.softmax(*tensors, version),
        reference=lambda x: torch.softmax(x, -1),
        versions=(1, 2, 3, 4),
        untouched={"B19": "it has one tensor, so no two dtypes can meet"},
    ),
    Operator(
        "layer_norm",
        inputs=lambda shape, **options: tuple(torch.randn(s, **options) for s in (shape, shape[-1:], shape[-1:])),
        call=lambda op, tensors, version: op.layer_norm(*tensors, version=version)[0],
        reference=lambda x, weight, bias: torch.nn.functional.layer_norm(x, x.shape[-1:], weight, bias),
    ),
]
