"""Checks of a torch.autograd.Function around the learner's own kernels: ``SiluMul.apply(a, b, kernels)``."""

import re
from functools import cached_property

import torch
from torch.autograd.gradcheck import GradcheckError, gradcheck

from . import elementwise, kernels, values
from .answer import Answer
from .mistake import Mistake
from .module import Module
from .tasks import BACKWARD_LAUNCHERS, SILU_MUL_BACKWARD, Result, silu_mul

DTYPES = (torch.float64, torch.float32)
SHAPES = ((1,), (33,), (7, 11), (0,), (2, 0, 3))
KERNEL = "silu_mul_backward"


class FunctionAnswer(Module):
    """The module with the Function. The kernels are those in the ``.cu`` file beside it."""

    @cached_property
    def kernels(self):
        """The learner's kernels, if they are right on a few elements."""
        kernel = Answer(self.path.with_name(f"{KERNEL}.cu"), KERNEL, BACKWARD_LAUNCHERS, SILU_MUL_BACKWARD, 1)
        try:
            kernels.check_launch(kernel, 33)
            elementwise.check_values(kernel, [(33,), (1,)])
        except Mistake as mistake:
            sentence = f'The kernel is needed here and is not right yet: see to it that check("{KERNEL}") passes.'
            raise Mistake("kernel-first", sentence, str(mistake)) from None
        return kernel.functions


class Kernels:
    """The kernels, with their calls recorded. What the backward computes is multiplied by ``factor``."""

    def __init__(self, functions, factor: float = 1):
        self.functions, self.factor, self.calls = functions, factor, []

    def __getattr__(self, name: str):
        function = getattr(self.functions, name)

        def call(*args):
            function(*args)
            if name.startswith(KERNEL):
                self.calls.append(args)
                for out in args[3:5]:
                    if out is not None:
                        out.mul_(self.factor)

        return call


def case(answer: FunctionAnswer, shape, dtype, seed: int = 0):
    """grad, a and b of a shape."""
    n = torch.Size(shape).numel()
    return [x.view(shape).to(answer.device) for x in SILU_MUL_BACKWARD.inputs(n, seed, dtype).values()]


def run(answer: FunctionAnswer, grad, a, b, needs=(True, True), factor: float = 1):
    """Call the Function and its backward, and return the gradients (None where none is needed), and the kernels.

    Raises:
        Mistake: one of them stops, or an input is changed.
    """
    kernels, function = Kernels(answer.kernels, factor), answer.get("SiluMul")
    given = [x.detach().clone().requires_grad_(need) for x, need in zip((a, b), needs, strict=True)]
    before = grad.clone()
    with answer.running("The forward"):
        out = function.apply(*given, kernels)
    if out.grad_fn is None:
        raise Mistake("no-gradient", "What SiluMul.apply returns has no gradient: does forward detach it?")
    with answer.running("backward", _known):
        found = list(torch.autograd.grad(out, [x for x in given if x.requires_grad], grad, allow_unused=True))
    if not torch.equal(grad, before):
        raise Mistake(
            "input-changed", "The incoming gradient was changed: others may hold it. Write into buffers of your own."
        )
    if not all(torch.equal(x, y) for x, y in zip(given, (a, b), strict=True)):
        raise Mistake("input-changed", "a or b was changed, which only the caller may do.")
    return [found.pop(0) if need else None for need in needs], kernels


def _known(text: str, error: BaseException) -> Mistake | None:
    """Mistakes by which PyTorch or the loader stops."""
    if match := re.search(r"incorrect number of gradients \(expected (\d+), got (\d+)\)", text):
        if match[2] == "1":
            return Mistake("unfinished", "backward returns nothing yet: this is what an unfinished lab says.")
        return Mistake(
            "wrong-number-of-gradients",
            f"backward returned {match[2]} results, and forward has {match[1]} arguments: one for each, in their "
            "order, and None for what is no tensor.",
        )
    if match := re.search(r": (\w+) has strides", text):
        if match[1] == "grad":
            sentence = "The incoming gradient has strides of its own, and the kernel reads dense memory: make it dense."
            return Mistake("grad-not-contiguous", sentence, text)
        sentence = f"The buffer for {match[1]} has the strides of the incoming gradient: allocate it like the input."
        return Mistake("buffer-like-grad", sentence, text)
    if "unpack" in text or "tuple index" in text or (isinstance(error, AttributeError) and "SiluMulBackward" in text):
        return Mistake("not-saved", "backward asks ctx for what setup_context did not keep.", text)
    if "invalid gradient" in text:
        return Mistake("wrong-shape", "A gradient has another shape than its input.", text)
    return None


def judge(found, grad, a, b, where: str, otherwise: tuple[str, str] | None = None, needs=(True, True)) -> None:
    """Raises Mistake unless what was found for a and b is right.

    Args:
        found: the gradients, or None where none is needed.
        otherwise: (mistake, sentence) for values that are wrong in no known way.
    """
    inputs = {k: v.detach().cpu().flatten() for k, v in (("grad", grad), ("a", a), ("b", b))}
    for name, got, need in zip(("da", "db"), found, needs, strict=True):
        if not need:
            continue
        if got is None:
            sentence = f"No gradient for {name[1]} came back ({where}), and it needs one."
            raise Mistake("gradient-missing", sentence)
        r = Result(SILU_MUL_BACKWARD, name, got.detach().cpu().flatten(), inputs)
        if r.wrong.any():
            known = values.recognise(r) or otherwise or values.lost_precision(r)
            mistake, sentence = known or ("wrong-values", f"{name} is not the gradient of {name[1]}.")
            i = int(r.wrong.nonzero()[0])
            given = ", ".join(f"{k} = {v[i]:.9g}" for k, v in inputs.items())
            raise Mistake(mistake, sentence, f"{where}: element {i} with {given}: your {name} is {r.got[i]:.9g}")


# --- the checks


def check_forward(answer: FunctionAnswer) -> None:
    """The forward still gives the right values, by the kernel."""
    for dtype in DTYPES:
        _, a, b = case(answer, (7, 11), dtype)
        with answer.running("The forward"):
            out = answer.get("SiluMul").apply(a, b, Kernels(answer.kernels))
        if not torch.allclose(out.double(), silu_mul(a.double(), b.double()), rtol=64 * torch.finfo(dtype).eps):
            raise Mistake("wrong-forward", "The forward is not silu(a) * b: leave it as the lab gives it.")


def check_gradients(answer: FunctionAnswer) -> None:
    """Right for dense gradients: each shape and dtype, with two sets of inputs."""
    for dtype in DTYPES:
        for shape in SHAPES:
            last = None
            for seed in (0, 1):
                given = case(answer, shape, dtype, seed)
                found, _ = run(answer, *given)
                stale = last and all(x is not None and torch.equal(x, y) for x, y in zip(found, last, strict=True))
                sentence = "The gradients are those of an earlier call: nothing may be kept from one call to the next."
                judge(found, *given, f"shape {shape}, {dtype}", ("stale", sentence) if stale else None)
                last = found


def check_strides(answer: FunctionAnswer) -> None:
    """Right whatever strides the incoming gradient has."""
    _, a, b = case(answer, (6, 4), torch.float64)
    base = case(answer, (4, 12), torch.float64, 5)[0]
    kinds = {
        "one number seen many times, as behind sum()": base[0, 0].expand(6, 4),
        "transposed": base[:, :6].t(),
        "a row seen many times": base[0, :4].expand(6, 4),
        "every second element": base.view(6, 8)[:, ::2],
    }
    for kind, grad in kinds.items():
        found, _ = run(answer, grad, a, b)
        sentence = f"Right for a dense incoming gradient, wrong for {kind}: its memory is read as if it were dense."
        judge(found, grad, a, b, f"strides {grad.stride()}", ("grad-read-as-dense", sentence))


def check_needs(answer: FunctionAnswer) -> None:
    """What nobody needs is not computed, and what is needed comes out right."""
    given = case(answer, (33,), torch.float64)
    for needs in ((True, False), (False, True)):
        found, kernels = run(answer, *given, needs=needs)
        judge(found, *given, f"only {'ab'[needs.index(True)]} needs one", needs=needs)
        unneeded = needs.index(False)
        if any(args[3 + unneeded] is not None for args in kernels.calls):
            sentence = f"{'ab'[unneeded]} needs no gradient, but the kernel wrote one: ask ctx.needs_input_grad."
            raise Mistake("computed-for-nobody", sentence)


def check_kernel_used(answer: FunctionAnswer) -> None:
    """The gradients are what the kernel computed, in one launch, from the gradient that came."""
    given = case(answer, (33,), torch.float64)
    found, kernels = run(answer, *given)
    if not kernels.calls:
        raise Mistake("kernel-not-called", "The gradients are right, but your kernel was not called for them.")
    if len(kernels.calls) > 1:
        sentence = f"Your kernel was called {len(kernels.calls)} times for one backward: one call gives both gradients."
        raise Mistake("called-twice", sentence)
    if kernels.calls[0][0].data_ptr() != given[0].data_ptr():
        sentence = "An incoming gradient that is dense was copied: contiguous() copies only what is not."
        raise Mistake("needless-copy", sentence)
    marked, _ = run(answer, *given, factor=2)
    if not all(torch.equal(m, 2 * f) for m, f in zip(marked, found, strict=True)):
        sentence = "Your kernel was called, but what backward returns is not what it computed."
        raise Mistake("kernel-result-unused", sentence)


def check_saved(answer: FunctionAnswer) -> None:
    """A change of a or b between forward and backward is noticed."""
    grad, a, b = case(answer, (33,), torch.float64)
    for i, name in enumerate("ab"):
        given = [x.clone().requires_grad_() for x in (a, b)]
        with answer.running("The forward"):
            out = answer.get("SiluMul").apply(*given, Kernels(answer.kernels))
        with torch.no_grad():
            given[i] += 1
        try:
            out.backward(grad)
        except RuntimeError as error:
            if "modified by an inplace operation" in str(error):
                continue
            raise
        sentence = (
            f"{name} was changed between forward and backward, and nobody noticed: keep tensors with "
            "ctx.save_for_backward, which compares versions, not as attributes of ctx."
        )
        raise Mistake("saved-outside", sentence)


def check_gradcheck(answer: FunctionAnswer) -> None:
    """gradcheck in float64, with its own tolerances."""
    _, a, b = case(answer, (3, 5), torch.float64)
    kernels, function = Kernels(answer.kernels), answer.get("SiluMul")

    def failed(text: str, error: BaseException) -> Mistake | None:
        if isinstance(error, GradcheckError):
            return Mistake("gradcheck", "gradcheck finds another gradient by differences.", text.splitlines()[0])
        return _known(text, error)

    with answer.running("gradcheck", failed):
        inputs = [x.requires_grad_() for x in (a, b)]
        gradcheck(lambda a, b: function.apply(a, b, kernels), inputs)


def check_repeats(answer: FunctionAnswer) -> None:
    """The same inputs give the same bits again."""
    given = case(answer, (257,), torch.float32)
    first, second = (run(answer, *given)[0] for _ in range(2))
    if not all(map(torch.equal, first, second)):
        raise Mistake("not-repeatable", "The same inputs gave other gradients the second time.")
