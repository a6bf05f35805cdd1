"""What exercises compute: their inputs, the results in float64, and what a mistake makes of them.

Those of element-wise kernels stand here, those of other kernels of arrays in array_tasks.py. Results are only compared,
never shown. A gradient is taken by autograd, so that no formula for it stands here.
"""

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass

import torch

from .guarded import same_bits

Tensors = dict[str, torch.Tensor]


@dataclass(frozen=True)
class Task:
    """What a kernel has to compute.

    Attributes:
        what: the results, in words.
        inputs: (*sizes, seed, dtype) -> the inputs by name. Elements differ, and inputs are never mistaken for one
            another.
        special: dtype -> pairs of sizes and inputs with which arithmetic is delicate.
        wanted: the inputs in float64, by name -> the results in float64, by name.
        mistakes: the inputs by name -> (output, name, sentence, value) of what an output may hold instead.
        magnitude: the inputs in float64 -> for each output the size of what is rounded on the way to it, to which the
            tolerance is proportional; without it, a result must be the exact one, rounded once.
        sizes: how many sizes there are. They are the first numbers that a launcher is given.
        shapes: the sizes -> the shape of each output; without it, all have one dimension, the first size.
        exact: the inputs -> whether every order of the operations gives the exact result, as with small integers.
    """

    what: str
    inputs: Callable[[int, int, torch.dtype], Tensors]
    special: Callable[[torch.dtype], Iterable[tuple[tuple[int, ...], Tensors]]]
    wanted: Callable[..., Tensors]
    mistakes: Callable[..., Iterable[tuple[str, str, str, torch.Tensor]]]
    magnitude: Callable[..., Tensors] | None = None
    sizes: int = 1
    shapes: Callable[..., dict[str, tuple[int, ...]]] | None = None
    exact: Callable[..., bool] = lambda **inputs: False

    def shapes_of(self, outputs: Iterable[str], *numbers: int) -> dict[str, tuple[int, ...]]:
        """The shape of each output of a case."""
        return self.shapes(*numbers[: self.sizes]) if self.shapes else dict.fromkeys(outputs, numbers[:1])


class Result:
    """One output of a kernel beside what it should hold. All tensors are on the CPU.

    Attributes:
        name: the output.
        got, want: what it holds, and what it should hold in float64.
        wrong: which elements are wrong.
    """

    def __init__(self, task: Task, name: str, got: torch.Tensor, inputs: Tensors):
        self.task, self.name, self.got, self.inputs = task, name, got, inputs
        self.want = self.wanted(inputs)
        wide = {k: v.double() for k, v in inputs.items()}
        self._exact = task.exact(**inputs)
        self._allowed = 64 * torch.finfo(got.dtype).eps * task.magnitude(**wide)[name] if task.magnitude else None
        self.wrong = ~self.holds(self.want)

    def wanted(self, inputs: Tensors) -> torch.Tensor:
        """What the output should hold for other inputs, in float64."""
        return self.task.wanted(**{k: v.double() for k, v in inputs.items()})[self.name]

    def holds(self, value: torch.Tensor, where=slice(None), looser: float = 1) -> torch.Tensor:
        """Which elements of the output (of its part ``where``) are ``value``, up to rounding."""
        got = self.got[where]
        if self._allowed is None:
            return same_bits(got, value.to(got.dtype))
        got, value = got.double(), value.double()
        same = (got == value) | (got.isnan() & value.isnan())
        allowed = 64 * torch.finfo(self.got.dtype).eps * value.abs()
        if self._exact and looser == 1:
            allowed = torch.where(value.abs() < 1 << 24, 0, allowed)
        else:
            allowed = looser * torch.maximum(allowed, self._allowed[where])
        return same | (((got - value).abs() <= allowed) & value.isfinite())


# --- vector_add: out = a + b


def _add_inputs(n: int, seed: int, dtype: torch.dtype) -> Tensors:
    """a in [1, 3), b in 30 to 90 with either sign."""
    a, b, sign = torch.rand(3, n, generator=torch.Generator().manual_seed(1000 * n + seed))
    return {"a": (1 + 2 * a).to(dtype), "b": (30 + 60 * b).copysign(sign - 0.5).to(dtype)}


def _add_special(dtype: torch.dtype):
    """Every pair of the values with which float32 arithmetic is delicate."""
    tiny, smallest, largest = 2.0**-126, 2.0**-149, torch.finfo(torch.float32).max
    values = [0.0, 1.5, math.inf, tiny, largest]
    values += [-v for v in values] + [1e-3, 2.0**24, math.nan, 3 * smallest, -smallest, tiny / 3]
    a, b = torch.cartesian_prod(*[torch.tensor(values, dtype=dtype)] * 2).T.contiguous()
    yield (len(a),), {"a": a, "b": b}


def _added(a, b) -> Tensors:
    """The float64 sum, which rounded once more is the float32 sum (53 >= 2 * 24 + 2 bits)."""
    return {"out": a + b}


def _add_mistakes(a, b):
    sides = [("a", a, "b", b), ("b", b, "a", a)]
    for name, x, other, y in sides:
        yield "out", "subtracted", f"out[i] is {name}[i] - {other}[i].", x - y
        yield "out", "input-twice", f"{name} is used twice, {other} not at all: out[i] is {name}[i] + {name}[i].", x + x
        yield "out", "copied", f"out[i] is {name}[i]: {other} is never added.", x
        yield "out", "doubled", f"{name} is added twice.", x + y + x
    yield "out", "multiplied", "out[i] is a[i] * b[i].", a * b
    yield "out", "divided", "out[i] is a[i] / b[i].", a / b
    yield "out", "halved", "out[i] is half of the sum.", (a + b) / 2
    yield "out", "negated", "The sign is wrong: out[i] is -(a[i] + b[i]).", -(a + b)
    yield "out", "lost-fraction", "The fraction is lost: a value passes through an integer.", (a + b).trunc()
    yield "out", "lost-fraction", "The fraction is lost: the inputs pass through integers.", a.trunc() + b.trunc()
    yield "out", "absolute-value", "The sign is lost: out[i] is |a[i] + b[i]|.", (a + b).abs()
    yield "out", "lost-precision", "Digits are lost: the sum passes through half precision.", (a + b).half()
    yield "out", "lost-precision", "Digits are lost: the sum passes through bfloat16.", (a + b).bfloat16()


ADD = Task("a + b", _add_inputs, _add_special, _added, _add_mistakes)


# --- silu_mul_backward: the gradients of silu(a) * b, where silu(a) = a * sigmoid(a)


def silu_mul(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """silu(a) * b, composed of PyTorch's operators."""
    return torch.nn.functional.silu(a) * b


def gradients(grad: torch.Tensor, a: torch.Tensor, b: torch.Tensor) -> Tensors:
    """What autograd makes of ``silu_mul``: da and db for the incoming gradient ``grad``."""
    with torch.enable_grad():
        a, b = a.detach().requires_grad_(), b.detach().requires_grad_()
        da, db = torch.autograd.grad(silu_mul(a, b), (a, b), grad)
    return {"da": da, "db": db}


def _gate_inputs(n: int, seed: int, dtype: torch.dtype) -> Tensors:
    """grad in 0.5 to 2 and b in 3 to 9, with either sign; a in [-6, 6)."""
    a, b, grad, *signs = torch.rand(5, n, generator=torch.Generator().manual_seed(1000 * n + seed), dtype=dtype)
    return {
        "grad": (0.5 + 1.5 * grad).copysign(signs[0] - 0.5),
        "a": 12 * a - 6,
        "b": (3 + 6 * b).copysign(signs[1] - 0.5),
    }


def _gate_special(dtype: torch.dtype):
    """Where exp(a) or exp(-a), or its square, is more than the dtype holds; and around zero."""
    values = [1e-30, 1e-3, 20.0, 60.0, 90.0, 400.0, 720.0, 1e4]
    a = torch.tensor([0.0, -0.0, *values, *(-v for v in values)], dtype=dtype)
    yield (len(a),), {"grad": torch.full_like(a, 1.5), "a": a, "b": torch.full_like(a, -2.5)}


def gate_mistakes(grad, a, b):
    """(output, name, sentence, value) of what the gradients of ``silu_mul`` are mistaken for."""
    s, right = torch.sigmoid(a), gradients(grad, a, b)
    first, second = grad * b * s, right["da"] - grad * b * s
    out = silu_mul(a, b)
    for other in (gradients(grad, out, b), gradients(grad, a, out), gradients(grad, torch.nn.functional.silu(a), b)):
        for name in ("da", "db"):
            sentence = f"{name} is computed from the output, where an input of the forward is needed."
            yield name, "output-for-input", sentence, other[name]
    yield "da", "product-rule", "a * sigmoid(a) is a product, and its derivative a sum of two: one is missing.", first
    yield "da", "product-rule", "a * sigmoid(a) is a product, and its derivative a sum of two: one is missing.", second
    yield "da", "wrong-sign", "The two terms of the product rule are subtracted.", first - second
    yield "da", "wrong-derivative", "This is the derivative of sigmoid(a), not of a * sigmoid(a).", first * (1 - s)
    yield "da", "factor-forgotten", "The term with 1 - sigmoid(a) lacks its factor a.", first + first * (1 - s)
    yield "da", "swapped", "da holds the gradient of b.", right["db"]
    yield "db", "swapped", "db holds the gradient of a.", right["da"]
    yield "db", "wrong-derivative", "out is silu(a) * b, so b has silu(a) for a factor, not a.", grad * a
    yield "db", "wrong-derivative", "out is silu(a) * b, so b has silu(a) for a factor, not sigmoid(a).", grad * s
    yield "db", "wrong-derivative", "db holds a product with b: out is linear in b.", grad * out
    one, crossed = gradients(torch.ones_like(grad), a, b), gradients(grad, b, a)
    for name in ("da", "db"):
        yield name, "grad-forgotten", f"{name} is not multiplied by the incoming gradient.", one[name]
        yield name, "wrong-sign", f"{name} has the wrong sign.", -right[name]
        yield name, "inputs-swapped", "a and b are taken for one another.", crossed[name]
        yield name, "grad-twice", f"{name} is multiplied by the incoming gradient twice.", grad * right[name]
    yield "da", "factor-forgotten", "da is not multiplied by b.", gradients(grad, a, torch.ones_like(b))["da"]


def _gate_magnitude(grad, a, b) -> Tensors:
    size = grad.abs() * (1 + a.abs())
    return {"da": size * (1 + b.abs()), "db": size}


SILU_MUL_BACKWARD = Task("the gradient", _gate_inputs, _gate_special, gradients, gate_mistakes, _gate_magnitude)
BACKWARD_LAUNCHERS = {
    f"silu_mul_backward_{t}": f"const {t}* grad, const {t}* a, const {t}* b, {t}* da, {t}* db, int64_t n, "
    "cudaStream_t stream"
    for t in ("float", "double")
}
