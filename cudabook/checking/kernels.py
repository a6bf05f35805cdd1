"""Runs a learner's kernels with everything around them watched, and the checks that hold for all kernels of arrays.

A case is what a launcher is given after its tensors: the sizes of the task, then what else the launcher takes.
What only holds for kernels of the kind "one thread an element" is in elementwise.py, the rest in arrays.py.
"""

import math
from dataclasses import dataclass

import torch

from .. import sanitize
from ..emulator.text import mask
from ..errors import CudaError
from . import naming
from .answer import Answer, LaunchRecord
from .guarded import Guarded, same_bits
from .mistake import Mistake
from .tasks import Result, Task, Tensors


@dataclass
class Trial:
    """What one call did. All tensors are on the CPU.

    Attributes:
        task: what was to be computed.
        function: which launcher was called.
        numbers: what was passed after the tensors, by name.
        inputs: by name, as they were before the call.
        outputs: by name; elements that were not written hold a canary. None: the call was given a null pointer.
        changed: for each input, which elements the call changed.
        damage: for each input and output, the guard elements that were written (see :class:`Guarded`).
        launch: (grid, block) of the last launch, or None if there was none or it ran on a GPU.
    """

    task: Task
    function: str
    numbers: dict[str, int]
    inputs: Tensors
    outputs: dict[str, torch.Tensor | None]
    changed: Tensors
    damage: dict[str, Tensors]
    launch: tuple | None

    @property
    def n(self) -> int:
        """The elements of an output."""
        return max(v.numel() for v in self.outputs.values() if v is not None)

    @property
    def arguments(self) -> tuple[int, ...]:
        """What was passed after the sizes, such as the number of blocks."""
        return tuple(self.numbers.values())[self.task.sizes :]

    @property
    def blocks(self) -> int:
        return math.prod(self.launch[0]) if self.launch else 0

    @property
    def threads(self) -> int:
        """Threads of one block."""
        return math.prod(self.launch[1]) if self.launch else 0

    @property
    def where(self) -> str:
        return naming.where(self.numbers)

    def results(self) -> list[Result]:
        """The outputs beside what they should hold."""
        return [Result(self.task, k, v, self.inputs) for k, v in self.outputs.items() if v is not None]


def first_function(answer: Answer) -> str:
    """The first function that the lab asks for."""
    return next(iter(answer.declarations))


def run(
    answer: Answer,
    inputs: Tensors,
    *numbers: int,
    function: str = "",
    emulated: bool = False,
    fill: float | None = None,
    without: tuple[str, ...] = (),
) -> Trial:
    """Call the answer with guarded copies of its inputs.

    Args:
        inputs: by name.
        numbers: what the function takes after its tensors.
        function: which one; by default the first that the lab asks for.
        emulated: run on the emulator whatever the target is.
        fill: a value for the outputs; by default each of their elements is a canary.
        without: outputs for which the function is given a null pointer.

    Raises:
        Mistake: the launch was refused, or the kernel went wrong.
    """
    function = function or first_function(answer)
    dtype, ins, outs = answer.buffers(function)
    functions = answer.emulated if emulated else answer.functions
    shapes = {name: inputs[name].shape for name in ins} | answer.task.shapes_of(outs, *numbers)
    memory = {name: Guarded(inputs[name], dtype, functions.device) for name in ins}
    memory |= {
        name: Guarded(math.prod(shapes[name]), dtype, functions.device) for name in outs if name not in without
    }
    for name in outs if fill is not None else ():
        memory[name].tensor.fill_(fill)
    tensors = [memory[name].tensor if name in memory else None for name in (*ins, *outs)]
    launch = call(answer, functions, function, tensors, numbers)
    after = {name: m.value().view(shapes[name]) for name, m in memory.items()}
    return Trial(
        answer.task,
        function,
        dict(zip(answer.numbers(function), numbers, strict=True)),
        inputs,
        {name: after.get(name) for name in outs},
        {name: ~same_bits(inputs[name], after[name]) for name in ins},
        {name: m.damage() for name, m in memory.items()},
        launch,
    )


def call(answer: Answer, functions, function: str, tensors: list[torch.Tensor | None], numbers: tuple[int, ...]):
    """Call the function, wait for it, and return what it launched (None on a GPU)."""
    record = LaunchRecord() if functions.target == "emulator" else None
    if record:
        record.clear()
    try:
        getattr(functions, function)(*tensors, *numbers)
        if not record:
            torch.cuda.synchronize()
    except CudaError as error:
        if not record and error.name in naming.REFUSALS:  # the emulator knows which limit it is
            memory = [t if t is None else Guarded(t.numel(), t.dtype, "cpu").tensor for t in tensors]
            call(answer, answer.emulated, function, memory, numbers)
        raise _refused(answer, function, numbers, error) from None
    except RuntimeError as error:  # torch meets what the kernel left behind
        sentence = f"The kernel went wrong on the GPU with {_where(answer, function, numbers)}."
        raise Mistake("gpu-fault", sentence, str(error).splitlines()[0]) from None
    return record.read() if record else None


def _where(answer: Answer, function: str, numbers: tuple[int, ...]) -> str:
    return naming.where(dict(zip(answer.numbers(function), numbers, strict=True)))


def _refused(answer: Answer, function: str, numbers: tuple[int, ...], error: CudaError) -> Mistake:
    nothing = 0 in numbers[: answer.task.sizes]
    return naming.refused(error.name, error.report, _where(answer, function, numbers), nothing)


def inputs(answer: Answer, *numbers: int, seed: int = 0, function: str = "") -> Tensors:
    """The usual inputs of a function."""
    sizes, dtype = numbers[: answer.task.sizes], answer.buffers(function or first_function(answer))[0]
    return answer.task.inputs(*sizes, seed, dtype)


def trial(answer: Answer, *numbers: int, seed: int = 0, function: str = "") -> Trial:
    """:func:`run` on the usual inputs, once for each case."""
    key = (numbers, seed, function)
    if key not in answer.cache:
        given = inputs(answer, *numbers, seed=seed, function=function)
        answer.cache[key] = run(answer, given, *numbers, function=function)
    return answer.cache[key]


def shape_of(answer: Answer, t: Trial) -> tuple[int, int] | None:
    """(blocks, threads of a block) of a trial; a GPU does not tell, so the emulator is asked."""
    if t.launch is None and answer.target != "emulator":
        key = ("launch", t.function, *t.numbers.values())
        if key not in answer.cache:
            answer.cache[key] = run(answer, t.inputs, *t.numbers.values(), function=t.function, emulated=True)
        t = answer.cache[key]
    return (t.blocks, t.threads) if t.launch else None


def special_trials(answer: Answer, *arguments: int):
    """A trial of each function on each of the inputs with which arithmetic is delicate."""
    for function in answer.declarations:
        for sizes, given in answer.task.special(answer.buffers(function)[0]):
            yield run(answer, given, *sizes, *arguments, function=function)


def findings(answer: Answer, *numbers: int, function: str = ""):
    """What the sanitizers find, with the usual inputs (emulator)."""
    function = function or first_function(answer)
    dtype, _, outs = answer.buffers(function)
    shapes = answer.task.shapes_of(outs, *numbers)
    try:
        with sanitize() as found:
            memory = [x.clone() for x in inputs(answer, *numbers, function=function).values()]
            memory += [torch.empty(shape, dtype=dtype) for shape in shapes.values()]
            getattr(answer.emulated, function)(*memory, *numbers)
    except CudaError as error:  # a launch that was refused
        raise _refused(answer, function, numbers, error) from None
    return found


def same_results(t: Trial, again: Trial) -> bool:
    return all(same_bits(out, again.outputs[name]).all() for name, out in t.outputs.items() if out is not None)


# --- the checks


def check_launch(answer: Answer, *numbers: int) -> Trial:
    """The call launches a kernel that runs through."""
    shown = run(answer, inputs(answer, *numbers), *numbers, emulated=True)
    if shown.launch is None:
        raise naming.nothing_launched(shown, mask(answer.path.read_text()).count("<<<") > answer.launches)
    trial(answer, *numbers)
    return shown


def check_neighbours(answer: Answer, cases) -> None:
    """Nothing before or after the inputs and outputs is written."""
    for case in cases:
        t = trial(answer, *case)
        naming.check_neighbours(t, shape_of(answer, t))


def check_inputs_unchanged(answer: Answer, cases) -> None:
    for case in cases:
        naming.check_inputs_unchanged(trial(answer, *case))


def check_repeats(answer: Answer, cases) -> None:
    """The same inputs give the same bits again."""
    for case in cases:
        t = trial(answer, *case)
        again = run(answer, t.inputs, *case)
        for name, out in t.outputs.items():
            differ = ~same_bits(out, again.outputs[name])
            if differ.any():
                raise Mistake(
                    "not-repeatable",
                    f"The same inputs gave other results the second time ({t.where}): do two "
                    "threads write the same element, or does state survive a call?",
                    naming.at(t, name, int(differ.flatten().nonzero()[0])),
                )


def check_empty(answer: Answer, *cases: tuple[int, ...]) -> None:
    """Empty arrays leave no error behind, and nothing is written beside them."""
    for case in cases:
        naming.check_neighbours(run(answer, inputs(answer, *case), *case), None)


def check_parallel(answer: Answer, *numbers: int) -> None:
    """The work is spread over blocks and threads."""
    t = trial(answer, *numbers)
    naming.check_parallel(shape_of(answer, t), t.where)


def check_current_stream(answer: Answer, *numbers: int) -> None:
    """The kernel runs on the stream it is given: its first input arrives late on a side stream (GPU)."""
    side, function = torch.cuda.Stream(), first_function(answer)
    _, ins, outs = answer.buffers(function)
    given = inputs(answer, *numbers)
    memory = [given[name].cuda() for name in ins]
    late = torch.zeros_like(memory[0])
    shapes = answer.task.shapes_of(outs, *numbers)
    results = {name: late.new_full(shape, torch.nan) for name, shape in shapes.items()}
    torch.cuda.synchronize()
    with torch.cuda.stream(side):
        torch.cuda._sleep(200_000_000)  # about 0.1 s
        late.copy_(memory[0])
        getattr(answer.functions, function)(late, *memory[1:], *results.values(), *numbers)
    torch.cuda.synchronize()
    if any(Result(answer.task, name, value.cpu(), given).wrong.any() for name, value in results.items()):
        raise Mistake(
            "stream-ignored",
            "The kernel did not wait for work that was queued before it: launch it on the "
            "stream that the launcher is given, as the fourth launch argument.",
        )


def check_sanitizers(answer: Answer, cases) -> None:
    """The sanitizers find nothing, on inputs that are small (emulator)."""
    for function in answer.declarations:
        for case in cases:
            if found := findings(answer, *case, function=function):
                raise naming.fault(found, _where(answer, function, case), answer.path.read_text())
