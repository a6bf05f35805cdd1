"""Checks of kernels of the kind "one thread an element"; those that hold for any kernel are in kernels.py."""

import torch

from .. import profile
from . import naming, values, written
from .answer import Answer
from .guarded import Fenced
from .kernels import call, first_function, inputs, run, shape_of, special_trials, trial
from .mistake import Mistake

# 1000 first: with several blocks and a partial last one it tells most mistakes apart.
SIZES = (1000, 1, 31, 32, 33, 255, 256, 257, 1023, 100_003, 1 << 20)

# --- the checks; `cases` are (n, *arguments)


def check_grid(answer: Answer, cases) -> None:
    """The grid has as many blocks as the second number of each case says."""
    for case in cases:
        naming.check_grid(shape_of(answer, trial(answer, *case)), case[1])


def check_written(answer: Answer, cases) -> None:
    """Every element of every output is written."""
    for case in cases:
        t = trial(answer, *case)
        for result in t.results():
            written.check_written(t, result, shape_of(answer, t))


def check_values(answer: Answer, cases) -> None:
    """Every element of every output is right, for each function and two sets of inputs of each size."""
    for case in cases:
        for function in answer.declarations:
            for seed in (0, 1):
                t = trial(answer, *case, seed=seed, function=function)
                again = lambda t=t: run(answer, t.inputs, *t.numbers.values(), function=t.function, fill=0.0)  # noqa: E731
                for result in t.results():
                    written.check_written(t, result, shape_of(answer, t))
                    values.check_values(t, result, shape_of(answer, t), again)


def check_special(answer: Answer, *arguments: int) -> None:
    """Values with which arithmetic is delicate come out right, for each function."""
    for t in special_trials(answer, *arguments):
        for result in t.results():
            values.check_special(t, result)


def check_reads(answer: Answer, *arguments: int) -> None:
    """Nothing outside of the buffers is read: they lie against a page that cannot be accessed (emulator)."""
    n, function = 1000, first_function(answer)
    dtype, ins, outs = answer.buffers(function)
    for fence in ("after", "before"):
        memory = [Fenced(data, dtype, fence) for data in (*inputs(answer, n).values(), *[n] * len(outs))]
        try:
            call(answer, answer.emulated, function, [m.tensor for m in memory], (n, *arguments))
        except Mistake as mistake:
            side = "beyond the end" if fence == "after" else "before the start"
            raise Mistake(
                "read-outside",
                f"An element {side} of {naming.names(ins + outs, 'or')} is read (n = {n}): guard the loads by the "
                "same condition as the store.",
                *mistake.details,
            ) from None


def check_once(answer: Answer, cases) -> None:
    """No element of a sum is computed twice. Seen by letting out be a: a second sum adds b a second time (emulator)."""
    for n, *arguments in cases:
        generator = torch.Generator().manual_seed(n)
        a, b = (torch.randint(1, 1000, (n,), generator=generator).float() for _ in "ab")
        out = a.clone()
        launch = call(answer, answer.emulated, answer.name, [out, b, out], (n, *arguments))
        times = (out - a) / b
        twice = (times >= 2) & (times == times.round())
        if twice.any():
            raise naming.computed_twice(
                int(twice.nonzero()[0]), int(times.max()), int(twice.sum()), n, launch, arguments
            )


def check_optional(answer: Answer, n: int) -> None:
    """An output that is a null pointer is left out, and the others are right."""
    outs = answer.buffers(first_function(answer))[2]
    for name in outs:
        try:
            t = run(answer, inputs(answer, n), n, without=(name,), emulated=True)
        except Mistake as mistake:
            sentence = f"{name} is a null pointer where nobody needs it, and the kernel goes there: ask if ({name})."
            raise Mistake("null-ignored", sentence, *mistake.details) from None
        for result in t.results():
            if result.wrong.any():
                raise Mistake("null-mistaken", f"Without {name} to write, {result.name} comes out wrong.")


def check_cost(answer: Answer, n: int) -> None:
    """No byte of global memory is moved twice, and none for an output that is not wanted (emulator)."""
    function = first_function(answer)
    dtype, ins, outs = answer.buffers(function)
    for name in ("", *outs):
        memory = list(inputs(answer, n).values())
        memory += [None if out == name else torch.empty(n, dtype=dtype) for out in outs]
        with profile() as seen:
            getattr(answer.emulated, function)(*memory, n)
        case = f" without {name}" if name else ""
        kept = [out for out in outs if out != name]
        for kind, number in (("load", len(ins)), ("store", len(kept))):
            ideal = number * n * dtype.itemsize
            asked, moved = (sum(launch.total(c, kind) for launch in seen.launches) for c in ("bytes", "sectors"))
            details = [f"n = {n}{case}: {kind}s of {asked} bytes in {moved} sectors, {32 * moved} bytes", str(seen)]
            if asked > ideal:
                raise Mistake(
                    f"{kind}s-repeated",
                    f"The kernel {kind}s more than each element of {naming.names(ins if kind == 'load' else kept)} "
                    f"once: {ideal} bytes are enough. Keep in a variable what is needed again.",
                    *details,
                )
            if 32 * moved > 1.1 * ideal:
                raise Mistake(
                    "uncoalesced",
                    "Neighbouring threads take elements that are far apart, so that sectors are moved for a part of "
                    "their bytes.",
                    *details,
                )
