"""Checks of element-wise kernels: runs with everything around them watched."""

import math
from dataclasses import dataclass

import torch

from .. import profile, sanitize
from ..emulator.translate import mask
from ..errors import CudaError
from . import naming, values, written
from .answer import Answer, LaunchRecord
from .guarded import Fenced, Guarded, same_bits
from .mistake import Mistake
from .tasks import Result, Tensors

# 1000 first: with several blocks and a partial last one it tells most mistakes apart.
SIZES = (1000, 1, 31, 32, 33, 255, 256, 257, 1023, 100_003, 1 << 20)


@dataclass
class Trial:
    """What one call did. All tensors are on the CPU.

    Attributes:
        function: which launcher was called.
        arguments: what was passed after n, such as the number of blocks.
        inputs: by name, as they were before the call.
        outputs: by name; elements that were not written hold a canary. None: the call was given a null pointer.
        changed: for each input, which elements the call changed.
        damage: for each input and output, the guard elements that were written (see :class:`Guarded`).
        launch: (grid, block) of the last launch, or None if there was none or it ran on a GPU.
    """

    function: str
    n: int
    arguments: tuple
    inputs: Tensors
    outputs: dict[str, torch.Tensor | None]
    changed: Tensors
    damage: dict[str, Tensors]
    launch: tuple | None

    @property
    def blocks(self) -> int:
        return math.prod(self.launch[0]) if self.launch else 0

    @property
    def threads(self) -> int:
        """Threads of one block."""
        return math.prod(self.launch[1]) if self.launch else 0

    @property
    def where(self) -> str:
        return ", ".join([f"n = {self.n}", *(f"blocks = {a}" for a in self.arguments)])

    def results(self, answer: Answer) -> list[Result]:
        """The outputs beside what they should hold."""
        return [Result(answer.task, k, v, self.inputs) for k, v in self.outputs.items() if v is not None]


def run(
    answer: Answer,
    inputs: Tensors,
    *arguments: int,
    function: str = "",
    emulated: bool = False,
    fill: float | None = None,
    without: tuple[str, ...] = (),
) -> Trial:
    """Call the answer with guarded copies of its inputs.

    Args:
        inputs: by name.
        arguments: what the function takes after n.
        function: which one; by default the first that the lab asks for.
        emulated: run on the emulator whatever the target is.
        fill: a value for the outputs; by default each of their elements is a canary.
        without: outputs for which the function is given a null pointer.

    Raises:
        Mistake: the launch was refused, or the kernel went wrong.
    """
    function = function or next(iter(answer.declarations))
    dtype, ins, outs = answer.buffers(function)
    functions, n = answer.emulated if emulated else answer.functions, inputs[ins[0]].numel()
    memory = {name: Guarded(inputs[name], dtype, functions.device) for name in ins}
    memory |= {name: Guarded(n, dtype, functions.device) for name in outs if name not in without}
    for name in outs if fill is not None else ():
        memory[name].tensor.fill_(fill)
    tensors = [memory[name].tensor if name in memory else None for name in (*ins, *outs)]
    launch = call(answer, functions, function, n, tensors, arguments)
    after = {name: m.value() for name, m in memory.items()}
    return Trial(
        function,
        n,
        arguments,
        inputs,
        {name: after.get(name) for name in outs},
        {name: ~same_bits(inputs[name], after[name]) for name in ins},
        {name: m.damage() for name, m in memory.items()},
        launch,
    )


def call(answer: Answer, functions, function: str, n: int, tensors: list[torch.Tensor | None], arguments: tuple):
    """Call the function, wait for it, and return what it launched (None on a GPU)."""
    record = LaunchRecord() if functions.target == "emulator" else None
    if record:
        record.clear()
    try:
        getattr(functions, function)(*tensors, n, *arguments)
        if not record:
            torch.cuda.synchronize()
    except CudaError as error:
        if not record and error.name in naming.REFUSALS:  # the emulator knows which limit it is
            memory = [t if t is None else Guarded(n, t.dtype, "cpu").tensor for t in tensors]
            call(answer, answer.emulated, function, n, memory, arguments)
        raise naming.refused(error.name, error.report, n, arguments) from None
    except RuntimeError as error:  # torch meets what the kernel left behind
        raise Mistake(
            "gpu-fault", f"The kernel went wrong on the GPU with n = {n}.", str(error).splitlines()[0]
        ) from None
    return record.read() if record else None


def inputs(answer: Answer, n: int, seed: int = 0, function: str = "") -> Tensors:
    """The usual inputs of a function."""
    return answer.task.inputs(n, seed, answer.buffers(function or next(iter(answer.declarations)))[0])


def trial(answer: Answer, n: int, *arguments: int, seed: int = 0, function: str = "") -> Trial:
    """:func:`run` on the usual inputs, once for each set of arguments."""
    key = (n, arguments, seed, function)
    if key not in answer.cache:
        answer.cache[key] = run(answer, inputs(answer, n, seed, function), *arguments, function=function)
    return answer.cache[key]


# --- the checks; `cases` are (n, *arguments)


def check_launch(answer: Answer, n: int, *arguments: int) -> Trial:
    """The call launches a kernel that runs through."""
    shown = run(answer, inputs(answer, n), *arguments, emulated=True)
    if shown.launch is None:
        raise naming.nothing_launched(shown, mask(answer.path.read_text()).count("<<<") > answer.launches)
    trial(answer, n, *arguments)
    return shown


def check_grid(answer: Answer, cases) -> None:
    """The grid has as many blocks as the second number of each case says."""
    for case in cases:
        naming.check_grid(_shape(answer, trial(answer, *case)), case[1])


def check_written(answer: Answer, cases) -> None:
    """Every element of every output is written."""
    for case in cases:
        t = trial(answer, *case)
        for result in t.results(answer):
            written.check_written(t, result, _shape(answer, t))


def check_values(answer: Answer, cases) -> None:
    """Every element of every output is right, for each function and two sets of inputs of each size."""
    for case in cases:
        for function in answer.declarations:
            for seed in (0, 1):
                t = trial(answer, *case, seed=seed, function=function)
                again = lambda t=t: run(answer, t.inputs, *t.arguments, function=t.function, fill=0.0)  # noqa: E731
                for result in t.results(answer):
                    written.check_written(t, result, _shape(answer, t))
                    values.check_values(t, result, _shape(answer, t), again)


def check_special(answer: Answer, *arguments: int) -> None:
    """Values with which arithmetic is delicate come out right, for each function."""
    for function in answer.declarations:
        t = run(answer, answer.task.special(answer.buffers(function)[0]), *arguments, function=function)
        for result in t.results(answer):
            values.check_special(t, result)


def check_neighbours(answer: Answer, cases) -> None:
    """Nothing before or after a, b and out is written."""
    for case in cases:
        t = trial(answer, *case)
        naming.check_neighbours(t, _shape(answer, t))


def check_inputs_unchanged(answer: Answer, cases) -> None:
    for case in cases:
        naming.check_inputs_unchanged(trial(answer, *case))


def check_reads(answer: Answer, *arguments: int) -> None:
    """Nothing outside of the buffers is read: they lie against a page that cannot be accessed (emulator)."""
    n, function = 1000, next(iter(answer.declarations))
    dtype, ins, outs = answer.buffers(function)
    for fence in ("after", "before"):
        memory = [Fenced(data, dtype, fence) for data in (*inputs(answer, n).values(), *[n] * len(outs))]
        try:
            call(answer, answer.emulated, function, n, [m.tensor for m in memory], arguments)
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
        launch = call(answer, answer.emulated, answer.name, n, [out, b, out], tuple(arguments))
        times = (out - a) / b
        twice = (times >= 2) & (times == times.round())
        if twice.any():
            raise naming.computed_twice(
                int(twice.nonzero()[0]), int(times.max()), int(twice.sum()), n, launch, arguments
            )


def check_repeats(answer: Answer, cases) -> None:
    """The same inputs give the same bits again."""
    for case in cases:
        t = trial(answer, *case)
        again = run(answer, t.inputs, *t.arguments)
        for name, out in t.outputs.items():
            differ = ~same_bits(out, again.outputs[name])
            if differ.any():
                raise Mistake(
                    "not-repeatable",
                    f"The same inputs gave other results the second time ({t.where}): do two "
                    "threads write the same element, or does state survive a call?",
                    naming.at(t, name, int(differ.nonzero()[0])),
                )


def check_empty(answer: Answer, *arguments: int) -> None:
    """n = 0 does nothing and leaves no error behind."""
    t = run(answer, inputs(answer, 0), *arguments)
    naming.check_neighbours(t, None)


def check_parallel(answer: Answer, n: int, *arguments: int) -> None:
    """The work is spread over blocks and threads."""
    naming.check_parallel(_shape(answer, trial(answer, n, *arguments)), n)


def check_current_stream(answer: Answer, *arguments: int) -> None:
    """The kernel runs on the stream it is given: its first input arrives late on a side stream (GPU)."""
    n, side, function = 1 << 20, torch.cuda.Stream(), next(iter(answer.declarations))
    _, ins, outs = answer.buffers(function)
    given = inputs(answer, n)
    memory = [given[name].cuda() for name in ins]
    late, results = torch.zeros_like(memory[0]), [torch.full_like(memory[0], torch.nan) for _ in outs]
    torch.cuda.synchronize()
    with torch.cuda.stream(side):
        torch.cuda._sleep(200_000_000)  # about 0.1 s
        late.copy_(memory[0])
        getattr(answer.functions, function)(late, *memory[1:], *results, n, *arguments)
    torch.cuda.synchronize()
    if any(Result(answer.task, k, v.cpu(), given).wrong.any() for k, v in zip(outs, results, strict=True)):
        raise Mistake(
            "stream-ignored",
            "The kernel did not wait for work that was queued before it: launch it on the "
            "stream that the launcher is given, as the fourth launch argument.",
        )


def check_sanitizers(answer: Answer, sizes, *arguments: int) -> None:
    """The sanitizers find nothing, on inputs that are small (emulator)."""
    for function in answer.declarations:
        dtype, _, outs = answer.buffers(function)
        for n in sizes:
            with sanitize() as found:
                memory = [x.clone() for x in inputs(answer, n, function=function).values()]
                memory += [torch.empty(n, dtype=dtype) for _ in outs]
                getattr(answer.emulated, function)(*memory, n, *arguments)
            if found:
                first = next(iter(found))
                raise Mistake(
                    first.kind.replace(" ", "-"),
                    f"{first.tool} finds a fault in line {first.line} (n = {n}): {first.kind}.",
                    str(first),
                )


def check_optional(answer: Answer, n: int) -> None:
    """An output that is a null pointer is left out, and the others are right."""
    outs = answer.buffers(next(iter(answer.declarations)))[2]
    for name in outs:
        try:
            t = run(answer, inputs(answer, n), without=(name,), emulated=True)
        except Mistake as mistake:
            sentence = f"{name} is a null pointer where nobody needs it, and the kernel goes there: ask if ({name})."
            raise Mistake("null-ignored", sentence, *mistake.details) from None
        for result in t.results(answer):
            if result.wrong.any():
                raise Mistake("null-mistaken", f"Without {name} to write, {result.name} comes out wrong.")


def check_cost(answer: Answer, n: int) -> None:
    """No byte of global memory is moved twice, and none for an output that is not wanted (emulator)."""
    function = next(iter(answer.declarations))
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


def _shape(answer: Answer, t: Trial) -> tuple[int, int] | None:
    """(blocks, threads of a block) of a trial; a GPU does not tell, so the emulator is asked."""
    if t.launch is None and answer.target != "emulator":
        key = ("launch", t.function, t.n, t.arguments)
        if key not in answer.cache:
            answer.cache[key] = run(answer, t.inputs, *t.arguments, function=t.function, emulated=True)
        t = answer.cache[key]
    return (t.blocks, t.threads) if t.launch else None
