"""Checks of kernels that compute ``out[i] = a[i] + b[i]``: runs with everything around them watched."""

import math
from dataclasses import dataclass

import torch

from ..emulator.translate import mask
from ..errors import CudaError
from . import naming, values, written
from .answer import Answer, LaunchRecord
from .guarded import Fenced, Guarded, same_bits
from .mistake import Mistake

# 1000 first: with several blocks and a partial last one it tells most mistakes apart.
SIZES = (1000, 1, 31, 32, 33, 255, 256, 257, 1023, 100_003, 1 << 20)


@dataclass
class Trial:
    """What one call did. All tensors are on the CPU.

    Attributes:
        arguments: what was passed after n, such as the number of blocks.
        a, b: the inputs, as they were before the call.
        out: the output; elements that were not written hold the canary of ``out``.
        changed: for 'a' and 'b', which elements the call changed.
        damage: for 'a', 'b' and 'out', the guard elements that were written (see :class:`Guarded`).
        launch: (grid, block) of the last launch, or None if there was none or it ran on a GPU.
    """

    n: int
    arguments: tuple
    a: torch.Tensor
    b: torch.Tensor
    out: torch.Tensor
    changed: dict[str, torch.Tensor]
    damage: dict[str, dict[str, torch.Tensor]]
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


def inputs(n: int, seed: int = 0) -> tuple[torch.Tensor, torch.Tensor]:
    """a in [1, 3), b in 30 to 90 with either sign: elements differ, and a and b are never mistaken for one another."""
    generator = torch.Generator().manual_seed(1000 * n + seed)
    a, b, sign = torch.rand(3, n, generator=generator)
    return 1 + 2 * a, (30 + 60 * b).copysign(sign - 0.5)


def special_inputs() -> tuple[torch.Tensor, torch.Tensor]:
    """Every pair of the values with which float32 arithmetic is delicate."""
    tiny, smallest, largest = 2.0**-126, 2.0**-149, torch.finfo(torch.float32).max
    values = [
        0.0,
        -0.0,
        1.5,
        -1.5,
        1e-3,
        2.0**24,
        math.inf,
        -math.inf,
        math.nan,
        tiny,
        -tiny,
        3 * smallest,
        -smallest,
        tiny / 3,
        largest,
        -largest,
    ]
    pairs = torch.cartesian_prod(*[torch.tensor(values)] * 2)
    return pairs[:, 0].contiguous(), pairs[:, 1].contiguous()


def wanted(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """a + b as float32 must give it: the float64 sum, rounded once more, which is exact (53 >= 2 * 24 + 2 bits)."""
    return (a.double() + b.double()).float()


def run(
    answer: Answer, a: torch.Tensor, b: torch.Tensor, *arguments: int, emulated: bool = False, fill: float | None = None
) -> Trial:
    """Call the answer with guarded copies of a and b.

    Args:
        arguments: what the function takes after n.
        emulated: run on the emulator whatever the target is.
        fill: a value for out; by default each of its elements is a canary.

    Raises:
        Mistake: the launch was refused, or the kernel went wrong.
    """
    functions, n = answer.emulated if emulated else answer.functions, a.numel()
    buffers = [
        Guarded("a", a, functions.device),
        Guarded("b", b, functions.device),
        Guarded("out", n, functions.device),
    ]
    if fill is not None:
        buffers[2].tensor.fill_(fill)
    launch = call(answer, functions, n, [x.tensor for x in buffers], arguments)
    a_after, b_after, out = (x.value() for x in buffers)
    return Trial(
        n,
        arguments,
        a,
        b,
        out,
        {"a": ~same_bits(a, a_after), "b": ~same_bits(b, b_after)},
        {x.name: x.damage() for x in buffers},
        launch,
    )


def call(answer: Answer, functions, n: int, tensors: list[torch.Tensor], arguments: tuple):
    """Call the function, wait for it, and return what it launched (None on a GPU)."""
    record = LaunchRecord() if functions.target == "emulator" else None
    if record:
        record.clear()
    try:
        getattr(functions, answer.name)(*tensors, n, *arguments)
        if not record:
            torch.cuda.synchronize()
    except CudaError as error:
        if not record and error.name in naming.REFUSALS:  # the emulator knows which limit it is
            memory = [Guarded(name, n, "cpu") for name in ("a", "b", "out")]
            call(answer, answer.emulated, n, [x.tensor for x in memory], arguments)
        raise naming.refused(error.name, error.report, n, arguments) from None
    except RuntimeError as error:  # torch meets what the kernel left behind
        raise Mistake(
            "gpu-fault", f"The kernel went wrong on the GPU with n = {n}.", str(error).splitlines()[0]
        ) from None
    return record.read() if record else None


def trial(answer: Answer, n: int, *arguments: int, seed: int = 0) -> Trial:
    """:func:`run` on the usual inputs, once for each set of arguments."""
    key = (n, arguments, seed)
    if key not in answer.cache:
        answer.cache[key] = run(answer, *inputs(n, seed), *arguments)
    return answer.cache[key]


# --- the checks; `cases` are (n, *arguments)


def check_launch(answer: Answer, n: int, *arguments: int) -> Trial:
    """The call launches a kernel that runs through."""
    shown = run(answer, *inputs(n), *arguments, emulated=True)
    if shown.launch is None:
        raise naming.nothing_launched(shown, "<<<" in mask(answer.path.read_text()))
    trial(answer, n, *arguments)
    return shown


def check_grid(answer: Answer, cases) -> None:
    """The grid has as many blocks as the second number of each case says."""
    for case in cases:
        naming.check_grid(_shape(answer, trial(answer, *case)), case[1])


def check_written(answer: Answer, cases) -> None:
    """Every element of out is written."""
    for case in cases:
        t = trial(answer, *case)
        written.check_written(t, wanted(t.a, t.b), _shape(answer, t))


def check_values(answer: Answer, cases) -> None:
    """Every element is the sum, for two sets of inputs of each size."""
    for case in cases:
        for seed in (0, 1):
            t = trial(answer, *case, seed=seed)
            written.check_written(t, wanted(t.a, t.b), _shape(answer, t))
            again = lambda t=t: run(answer, t.a, t.b, *t.arguments, fill=0.0)  # noqa: E731
            values.check_values(t, wanted(t.a, t.b), _shape(answer, t), again)


def check_special(answer: Answer, *arguments: int) -> None:
    """Infinities, NaN, signed zeros and denormals come out as IEEE 754 says."""
    t = run(answer, *special_inputs(), *arguments)
    values.check_special(t, wanted(t.a, t.b))


def check_neighbours(answer: Answer, cases) -> None:
    """Nothing before or after a, b and out is written."""
    for case in cases:
        t = trial(answer, *case)
        naming.check_neighbours(t, _shape(answer, t))


def check_inputs_unchanged(answer: Answer, cases) -> None:
    for case in cases:
        naming.check_inputs_unchanged(trial(answer, *case))


def check_reads(answer: Answer, *arguments: int) -> None:
    """Nothing outside of a, b and out is read: they lie against a page that cannot be accessed (emulator)."""
    n = 1000
    for fence in ("after", "before"):
        memory = [Fenced(data, fence) for data in (*inputs(n), n)]
        try:
            call(answer, answer.emulated, n, [m.tensor for m in memory], arguments)
        except Mistake as mistake:
            side = "beyond the end" if fence == "after" else "before the start"
            raise Mistake(
                "read-outside",
                f"An element {side} of a, b or out is read (n = {n}): guard the loads by the "
                "same condition as the store.",
                *mistake.details,
            ) from None


def check_once(answer: Answer, cases) -> None:
    """No element is computed twice. Seen by letting out be a: a second sum adds b a second time (emulator)."""
    for n, *arguments in cases:
        generator = torch.Generator().manual_seed(n)
        a, b = (torch.randint(1, 1000, (n,), generator=generator).float() for _ in "ab")
        out = a.clone()
        launch = call(answer, answer.emulated, n, [out, b, out], tuple(arguments))
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
        again = run(answer, t.a, t.b, *t.arguments)
        differ = ~same_bits(t.out, again.out)
        if differ.any():
            i = int(differ.nonzero()[0])
            raise Mistake(
                "not-repeatable",
                f"The same inputs gave other results the second time ({t.where}): do two "
                "threads write the same element, or does state survive a call?",
                naming.at(t, i),
            )


def check_empty(answer: Answer, *arguments: int) -> None:
    """n = 0 does nothing and leaves no error behind."""
    t = run(answer, *inputs(0), *arguments)
    naming.check_neighbours(t, None)


def check_parallel(answer: Answer, n: int, *arguments: int) -> None:
    """The work is spread over blocks and threads."""
    naming.check_parallel(_shape(answer, trial(answer, n, *arguments)), n)


def check_current_stream(answer: Answer, *arguments: int) -> None:
    """The kernel runs on the stream it is given: its inputs arrive late on a side stream (GPU)."""
    n, side = 1 << 20, torch.cuda.Stream()
    a, b = (x.cuda() for x in inputs(n))
    late, out = torch.zeros_like(a), torch.full_like(a, torch.nan)
    torch.cuda.synchronize()
    with torch.cuda.stream(side):
        torch.cuda._sleep(200_000_000)  # about 0.1 s
        late.copy_(a)
        getattr(answer.functions, answer.name)(late, b, out, n, *arguments)
    torch.cuda.synchronize()
    if not same_bits(out.cpu(), wanted(a.cpu(), b.cpu())).all():
        raise Mistake(
            "stream-ignored",
            "The kernel did not wait for work that was queued before it: launch it on the "
            "stream that the launcher is given, as the fourth launch argument.",
        )


def _shape(answer: Answer, t: Trial) -> tuple[int, int] | None:
    """(blocks, threads of a block) of a trial; a GPU does not tell, so the emulator is asked."""
    if t.launch is None and answer.target != "emulator":
        key = ("launch", t.n, t.arguments)
        if key not in answer.cache:
            answer.cache[key] = run(answer, t.a, t.b, *t.arguments, emulated=True)
        t = answer.cache[key]
    return (t.blocks, t.threads) if t.launch else None
