"""Checks of what a learner's module registers for the operators of a library, ``labs/silu_mul/bindings.cpp``."""

import re
from functools import cached_property
from pathlib import Path

import torch
from torch._dynamo.testing import CompileCounterWithBackend
from torch._subclasses import FakeTensorMode
from torch._subclasses.fake_tensor import DataDependentOutputException, UnsupportedOperatorException
from torch.library import opcheck
from torch.multiprocessing.reductions import StorageWeakRef
from torch.utils._python_dispatch import TorchDispatchMode

from .. import cache, cuda, make_labs
from ..compiler import replace_atomically
from ..emulator import build as emulator
from . import gradients
from .gradients import DTYPES, case, judge
from .mistake import Mistake
from .module import Module
from .table import LABS
from .tasks import silu_mul

NAMES = ("silu_mul", "silu_mul_backward", "silu_mul_out")
SHAPES = ((3, 5), (4,), (0, 4), (2, 3, 4))


def sources() -> list[Path]:
    """The C++ side of silu_mul in one folder: header, binding, and the kernels of lab 02's solution."""
    folder = cache.folder() / "labs" / "silu_mul"
    texts = {p.name: p.read_text() for p in (LABS / "silu_mul").glob("*.*")}
    texts["silu_mul.cu"] = make_labs.solution_cells("02_backward")["silu_mul_backward"]
    with cache.lock(folder):
        for name, text in texts.items():
            if not (folder / name).is_file() or (folder / name).read_text() != text:
                partial = folder / f"{name}.tmp"
                partial.write_text(text)
                replace_atomically(partial, folder / name)
    return [folder / name for name in texts]


class Calls(TorchDispatchMode):
    """Sees which operators are called, and multiplies what the backward operator gives by ``factor``."""

    def __init__(self, factor: float = 1):
        super().__init__()
        self.factor, self.names = factor, []

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        out = func(*args, **(kwargs or {}))
        name = func.name().rpartition("::")[2]
        self.names.append(name)
        return tuple(x * self.factor for x in out) if name == "silu_mul_backward" else out


class LibraryAnswer(Module):
    """The module that registers. Its ``register(namespace)`` is called with the namespace of the built library."""

    @cached_property
    def ops(self):
        """``torch.ops.<namespace>`` of the library, with what the learner registers."""
        files = {p.name: p for p in sources()}
        build = cuda.build_operator if self.target == "cuda" else emulator.build_operator
        library, self.namespace = build("silu_mul", files["bindings.cpp"], [files["silu_mul.cu"]])
        torch.ops.load_library(str(library))
        with self.running("register", _known):
            self.get("register")(self.namespace)
        return getattr(torch.ops, self.namespace)

    def operator(self, name: str):
        """The overload of one operator. Raises Mistake if it has no schema."""
        if not hasattr(self.ops, name):
            raise Mistake("schema-missing", f"{name} has no schema yet, and so cannot be called.")
        return getattr(self.ops, name).default

    def inputs(self, name: str, shape, dtype) -> list[torch.Tensor]:
        """Arguments for an operator."""
        grad, a, b = case(self, shape, dtype)
        if name == "silu_mul_backward":
            return [grad, a, b]
        return [a, b, torch.zeros_like(a)] if name == "silu_mul_out" else [a, b]


def _known(text: str, error: BaseException) -> Mistake | None:
    """Mistakes by which PyTorch stops."""
    if "doesn't match the expected function schema" in text:
        sentence = "The schema of silu_mul_out does not fit its function: three tensors go in, nothing comes back."
        return Mistake("schema-mismatch", sentence, *re.findall(r"(?:expected|inferred) schema: .*|reason: .*", text))
    reads = r"data-dependent|data pointer|\.numpy\(\) is not supported"
    if isinstance(error, DataDependentOutputException) or re.search(reads, text):
        sentence = "A fake reads values, and there are none: it knows shapes, dtypes and devices."
        return Mistake("fake-reads-data", sentence, text)
    if isinstance(error, UnsupportedOperatorException):
        name = text.removesuffix(".default").rpartition(".")[2]
        sentence = f"{name} has no fake yet, so nothing can trace it: this is what an unfinished lab says."
        return Mistake("fake-missing", sentence)
    if "Unable to cast" in text or "instance of 'sequence'" in text:
        return Mistake("fake-number", "A fake gives another number of tensors than its operator.", text)
    if "incorrect number of gradients" in text:
        sentence = "The function of register_autograd returns one gradient for each argument of silu_mul: two."
        return Mistake("wrong-number-of-gradients", sentence, text)
    if match := re.search(r"silu_mul: (\w+) has strides", text):
        sentence = f"{match[1]} reaches the backward operator with strides of its own: make it dense first."
        return Mistake("grad-not-contiguous", sentence, text)
    if "unpack" in text or "tuple index" in text or (isinstance(error, AttributeError) and "Backward" in text):
        sentence = "The gradient asks ctx for what nobody kept: is a setup_context registered beside it?"
        return Mistake("not-saved", sentence, text)
    return None


def run(answer: LibraryAnswer, grad, a, b, needs=(True, True), factor: float = 1):
    """Call silu_mul and its gradient, and return the gradients (None where none is needed), and the calls seen."""
    given = [x.detach().clone().requires_grad_(need) for x, need in zip((a, b), needs, strict=True)]
    before = grad.clone()
    with answer.running("silu_mul", _known):
        out = answer.operator("silu_mul")(*given)
    with answer.running("The gradient", _known), Calls(factor) as calls:
        found = list(torch.autograd.grad(out, [x for x in given if x.requires_grad], grad, allow_unused=True))
    if all(x is None for x in found):
        raise Mistake(
            "no-gradient",
            "silu_mul gives no gradient, and no error: training would go on without one. An operator needs "
            "torch.library.register_autograd.",
        )
    if not torch.equal(grad, before):
        raise Mistake("input-changed", "The incoming gradient was changed: others may hold it.")
    return [found.pop(0) if need else None for need in needs], calls


# --- the checks


def check_registers(answer: LibraryAnswer) -> None:
    """The module registers, and the kernels are still those of the library."""
    assert answer.ops
    for name in NAMES[:2]:
        key = "CUDA" if answer.target == "cuda" else "CPU"
        table = torch._C._dispatch_dump(f"{answer.namespace}::{name}").splitlines()
        lines = [line for line in table if line.startswith(f"{key}:")]
        if not lines or "bindings.cpp" not in lines[0]:
            raise Mistake("kernel-replaced", f"{name} no longer calls the kernel of the library.", *lines)


def check_fakes(answer: LibraryAnswer, names=NAMES[:2]) -> None:
    """Each fake tells shape, dtype, device and strides as the operator gives them, on tensors without values."""
    for name in names:
        operator = answer.operator(name)
        for dtype in DTYPES:
            for shape in SHAPES:
                given = answer.inputs(name, shape, dtype)
                want = operator(*given)
                with answer.running(f"The fake of {name}", _known), FakeTensorMode():
                    fakes = [torch.empty(x.shape, dtype=x.dtype, device="cuda") for x in given]
                    got = operator(*fakes)
                _compare(name, got, want, fakes, shape)


def _compare(name: str, got, want, given, shape) -> None:
    number = 0 if want is None else 1 if isinstance(want, torch.Tensor) else len(want)
    got, want = ((x,) if isinstance(x, torch.Tensor) else x or () for x in (got, want))
    if len(got) != number:
        raise Mistake("fake-number", f"The fake of {name} gives {len(got)} tensors, and the operator {number}.")
    storages = {StorageWeakRef(x.untyped_storage()) for x in given}
    for i, (g, w) in enumerate(zip(got, want, strict=True)):
        which = f"Result {i} of the fake of {name}" if number > 1 else f"The result of the fake of {name}"
        if not isinstance(g, torch.Tensor):
            raise Mistake("fake-number", f"{which} is no tensor.")
        wrong = [
            ("fake-alias", StorageWeakRef(g.untyped_storage()) in storages, "is one of its inputs, not a new tensor"),
            ("fake-shape", g.shape != w.shape, f"has shape {tuple(g.shape)}"),
            ("fake-dtype", g.dtype != w.dtype, f"is {g.dtype} where the inputs are {w.dtype}"),
            ("fake-device", g.device != given[0].device, f"is on {g.device} where the inputs are on {given[0].device}"),
            ("fake-strides", g.stride() != w.stride(), f"has strides {g.stride()}"),
        ]
        for mistake, holds, what in wrong:
            if holds:
                raise Mistake(mistake, f"{which} {what}.", f"for inputs of shape {shape}; the operator gives another")


def check_gradient(answer: LibraryAnswer) -> None:
    """Right gradients for a and b, for any shape, for expanded and transposed ones, and for one input only."""
    for dtype in DTYPES:
        for shape in gradients.SHAPES:
            given = case(answer, shape, dtype)
            judge(run(answer, *given)[0], *given, f"shape {shape}, {dtype}")
    _, a, b = case(answer, (6, 4), torch.float64)
    for grad in (case(answer, (1,), torch.float64)[0].expand(6, 4), case(answer, (4, 6), torch.float64, 5)[0].t()):
        found, _ = run(answer, grad, a, b)
        sentence = "Right for a dense incoming gradient only: its memory is read as if it were dense."
        judge(found, grad, a, b, f"strides {grad.stride()}", ("grad-read-as-dense", sentence))
    given = case(answer, (33,), torch.float64)
    for needs in ((True, False), (False, True)):
        judge(run(answer, *given, needs=needs)[0], *given, f"only {'ab'[needs.index(True)]} needs one", needs=needs)
    found, calls = run(answer, *given)
    if "silu_mul_backward" not in calls.names:
        raise Mistake("kernel-not-called", "The gradients are right, but silu_mul_backward was not called for them.")
    if not all(torch.equal(m, 2 * f) for m, f in zip(run(answer, *given, factor=2)[0], found, strict=True)):
        raise Mistake("kernel-result-unused", "silu_mul_backward was called, but its results are not what came back.")


def check_mutation(answer: LibraryAnswer) -> None:
    """silu_mul_out works, and its schema says that it writes to out and to nothing else."""
    schema = answer.operator("silu_mul_out")._schema
    names = [x.name for x in schema.arguments]
    if names != ["a", "b", "out"]:
        raise Mistake("schema-names", f"The arguments of silu_mul_out are {', '.join(names)}, expected a, b, out.")
    written = [x.name for x in schema.arguments if x.alias_info and x.alias_info.is_write]
    if "out" not in written:
        sentence = "silu_mul_out writes to out, and its schema does not say so: a compiler may drop the call."
        raise Mistake("mutation-undeclared", sentence, str(schema))
    if written != ["out"]:
        sentence = "The schema of silu_mul_out says that inputs are written which are not: a compiler must copy them."
        raise Mistake("mutation-overdeclared", sentence, str(schema))
    a, b, out = answer.inputs("silu_mul_out", (3, 5), torch.float64)
    answer.operator("silu_mul_out")(a, b, out)
    if not torch.allclose(out, silu_mul(a, b)):
        raise Mistake("wrong-values", "silu_mul_out does not write silu(a) * b.")
    check_fakes(answer, ["silu_mul_out"])


def check_opcheck(answer: LibraryAnswer) -> None:
    """torch.library.opcheck passes for each operator."""
    for name in NAMES:
        for shape in SHAPES[:3]:
            given = answer.inputs(name, shape, torch.float32)
            if name == "silu_mul":
                given = [x.requires_grad_() for x in given]
            with answer.running(f"opcheck of {name}", lambda text, _, n=name: _opcheck_failed(n, text)):
                opcheck(answer.operator(name), given)


def _opcheck_failed(name: str, text: str) -> Mistake:
    lines = [line for line in text.splitlines() if line.strip()]
    return Mistake("opcheck", f"opcheck of {name} fails.", *lines[:1], *lines[-3:])


def check_compile(answer: LibraryAnswer) -> None:
    """torch.compile makes one graph of the operators for all sizes, with the values and gradients of eager mode."""
    function, into = answer.operator("silu_mul"), answer.operator("silu_mul_out")

    def step(a, b):
        out = torch.zeros_like(a)
        into(a.detach(), b.detach(), out)
        return function(a, b) * 2 + out

    torch._dynamo.reset()
    counter = CompileCounterWithBackend("aot_eager")
    compiled = torch.compile(step, fullgraph=True, dynamic=True, backend=counter)
    for rows in (3, 4, 9):
        results = []
        for call in (compiled, step):
            _, a, b = case(answer, (rows, 6), torch.float64)
            with answer.running("torch.compile", _known):
                out = call(a.requires_grad_(), b.requires_grad_())
                out.sum().backward()
            results.append((out, a.grad, b.grad))
        if not all(map(torch.equal, *results)):
            raise Mistake("compiled-differs", f"Compiled, the operators give other results ({rows} rows).")
    if counter.frame_count != 1:
        raise Mistake(
            "size-specialised",
            f"Three sizes made {counter.frame_count} graphs: a fake turns a size into a number, so that the graph "
            "holds for that one only. Take sizes from a.shape as they are.",
        )
