"""The operators of csrc, as the table of class_b.py must know them."""

import dataclasses
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
    """

    name: str
    inputs: Callable
    call: Callable
    reference: Callable
    versions: tuple[int, ...] = (1, 2, 3)
    casts: bool = False
    untouched: dict[str, str] = dataclasses.field(default_factory=dict)


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
