"""Names for mistakes that show in what can be observed: launches, memory around the buffers, the sanitizers' findings.

Here and in the other modules that name mistakes, ``t`` is a trial (see kernels.py), ``r`` one of its results (see
tasks.py), and ``shape`` the blocks and the threads of a block, where known.
"""

import re

import torch

from ..emulator.text import mask
from .guarded import untouched
from .mistake import Mistake

# What a launch beyond a limit is refused with: the emulator says the second, CUDA 13 on an H200 the first.
REFUSALS = ("cudaErrorInvalidValue", "cudaErrorInvalidConfiguration")
# What stops a kernel whose threads wait for others that do not come.
_STUCK = {
    "unreachable barrier": "threads wait for others that have gone another way or have returned: all threads of a "
    "block must come to a barrier, and all lanes of the mask to a shuffle",
    "divergent barrier": "threads of a block wait at different barriers: all must come to the same one",
}


def where(numbers: dict[str, int]) -> str:
    """The sizes of a case: 'rows = 3, n = 7'."""
    return ", ".join(f"{name} = {value}" for name, value in numbers.items())


def at(t, name: str, i: int) -> str:
    """One line about element i of an output: its inputs, where they are arrays of the same length, and what the answer
    made of it."""
    got = t.outputs[name]
    out = "never written" if untouched(got).flatten()[i] else f"{got.flatten()[i]:.9g}"
    place = ", ".join(str(int(x)) for x in torch.unravel_index(torch.tensor(i), got.shape))
    given = [f"{k}[{i}] = {v[i]:.9g}" for k, v in t.inputs.items() if v.shape == got.shape[:1] and got.dim() == 1]
    return ", ".join([*given, f"your {name}[{place}]: {out}"])


def names(found, last: str = "and") -> str:
    """'a', 'a and b', 'a, b and c'."""
    *others, final = found
    return f"{', '.join(others)} {last} {final}" if others else final


def grid_of(shape) -> str:
    return f"the launch had {count(shape[0], 'block')} of {count(shape[1], 'thread')}" if shape else ""


def count(number: int, noun: str) -> str:
    return f"{number} {noun}" + ("" if number == 1 else "s")


def refused(error: str, report: str, case: str, nothing: bool) -> Mistake:
    """A mistake for a CUDA error. The emulator's report says which limit it was; a GPU gives only the error.

    Args:
        case: the sizes, see :func:`where`.
        nothing: a size is 0.
    """
    details = [report] if report else []
    empty = "empty grid" in report or (not report and error in REFUSALS and nothing)
    if empty and nothing:
        return Mistake(
            "empty-input",
            f"Launch refused for {case}: a grid of zero blocks is an error, which a later call "
            "would get to see. Return early when there is nothing to do.",
            *details,
        )
    if empty:
        return Mistake(
            "grid-rounded-down",
            f"Launch refused for {case}: the grid has zero blocks. If the number of "
            "blocks is n / block, it is rounded down; it must be rounded up.",
            *details,
        )
    if "block too large" in report or "empty block" in report:
        return Mistake(
            "block-size",
            f"Launch refused for {case} ({error}): a block has 1 to 1024 threads. More "
            "elements take more blocks, not larger ones.",
            *details,
        )
    if "grid too large" in report:
        return Mistake(
            "grid-too-large",
            f"Launch refused for {case} ({error}): a grid has 2,147,483,647 blocks in x, but 65,535 in y and in z.",
            *details,
        )
    if error in REFUSALS and not report:
        return Mistake(
            "launch-refused",
            f"Launch refused for {case} ({error}): the grid or the block is empty or too large.",
            *details,
        )
    if error in ("cudaErrorIllegalAddress", "cudaErrorMisalignedAddress"):
        return Mistake(
            "illegal-address", f"The kernel went to memory that is not its own with {case} ({error}).", *details
        )
    kind = re.search(r":\d+\): ([a-z ]+)\. ", report)
    name = kind[1].replace(" ", "-") if kind else "cuda-error"
    if kind and kind[1] in _STUCK:
        return Mistake(name, f"{_STUCK[kind[1]].capitalize()} ({case}).", *details)
    return Mistake(name, f"CUDA reports {error} with {case}" + (f": {kind[1]}." if kind else "."), *details)


def nothing_launched(t, tries: bool) -> Mistake:
    """A mistake for a call without a launch. ``tries``: there is one in the source."""
    outs = names(t.outputs)
    if not all(untouched(out).all() for out in t.outputs.values()):
        return Mistake(
            "no-kernel",
            f"{outs} {'was' if len(t.outputs) == 1 else 'were'} written, but no kernel was launched: the launcher did "
            "the work itself, on the CPU. On a GPU it cannot reach this memory.",
        )
    if tries:
        return Mistake(
            "launch-lost",
            f"The launch did not happen ({t.where}), and no error is left: was it not reached, or "
            "was it refused and its error taken by a cudaGetLastError() of yours?",
        )
    return Mistake(
        "nothing-launched",
        f"Nothing has been launched yet, and {outs} {'is' if len(t.outputs) == 1 else 'are'} empty: this is what an "
        "unfinished lab says. Write the kernel, then launch it with <<<blocks, threads, 0, stream>>>.",
    )


def check_neighbours(t, shape) -> None:
    """Raises Mistake if anything around the buffers was written."""
    for name, sides in t.damage.items():
        after, before = sides["after"], sides["before"]
        if len(before):
            raise Mistake(
                "written-before-start",
                f"{count(len(before), 'element')} before the start of {name} were written: an index is negative.",
                f"{t.where}: the nearest is {name}[-{int(before[0])}]",
            )
        if not len(after):
            continue
        number, first = len(after), int(after[0]) - 1
        if name in t.inputs:
            raise Mistake(
                "written-beyond-n",
                f"Memory behind input {name} was written.",
                f"{t.where}: the first is {name}[n + {first}]",
            )
        details = [f"{t.where}: {grid_of(shape)}" if shape else t.where, f"the first is {name}[n + {first}]"]
        if shape and number == shape[0] * shape[1] - t.n:
            raise Mistake(
                "no-bounds-check",
                f"{count(number, 'element')} beyond n were written, one by each thread that has "
                "no element: the kernel lacks the bounds check i < n.",
                *details,
            )
        if number == 1 and first == 0:
            raise Mistake(
                "bound-too-wide",
                f"{name}[n] was written: the last element is n - 1, so the condition is i < n.",
                *details,
            )
        raise Mistake(
            "written-beyond-n",
            f"{count(number, 'element')} of memory behind {name} were written: check every index against the sizes "
            "before the store.",
            *details,
        )


def check_inputs_unchanged(t) -> None:
    for name, changed in t.changed.items():
        if changed.any():
            raise Mistake(
                "input-changed",
                f"Input {name} was changed: only {names(t.outputs)} may be written.",
                f"{t.where}: {count(int(changed.sum()), 'element')}, the first at index "
                f"{int(changed.flatten().nonzero()[0])}",
            )


def computed_twice(i: int, most: int, number: int, n: int, launch, arguments) -> Mistake:
    grid = f" by a grid of {launch[0]} blocks of {launch[1]} threads" if launch else ""
    stride = (
        "the stride must be all threads of the grid, gridDim.x * blockDim.x"
        if arguments
        else "two threads have the same index"
    )
    return Mistake(
        "computed-twice",
        f"The values are right, but {count(number, 'element')} of {n} were computed more than "
        f"once, up to {most} times: {stride}.",
        f"n = {n}{grid}; the first is element {i}",
    )


def check_parallel(shape, case: str) -> None:
    """Raises Mistake if the work of a case is left to one block, or to blocks of less than a warp."""
    if shape is None:
        return
    blocks, threads = shape
    if blocks * threads == 1:
        raise Mistake(
            "serial", "The values are right, but one thread did all the work: a GPU has room for more than 100,000."
        )
    if threads < 32:
        raise Mistake(
            "block-too-small",
            f"The values are right, but blocks have {count(threads, 'thread')}: threads run in "
            "warps of 32, so most lanes do nothing.",
        )
    if blocks == 1:
        raise Mistake(
            "one-block",
            f"The values are right, but one block did all the work ({case}): a block runs on one of the "
            "GPU's many multiprocessors.",
        )


def fault(found, case: str, source: str) -> Mistake:
    """A mistake for what the sanitizers found; of several findings the one that others may follow from.

    Args:
        found: their reports.
        source: the text of the file.
    """
    tools = ["memcheck", "synccheck", "racecheck", "initcheck"]
    first = min(found, key=lambda report: tools.index(report.tool))
    if first.tool == "racecheck" and first.space == "shared" and first.kind != "write after write":
        return _barrier(first, case, source)
    if first.tool == "racecheck" and first.space == "global" and first.kind == "write after write":
        return Mistake(
            "written-twice",
            f"Two threads write the same element of {first.name or 'global memory'}, in line {first.line} ({case}): "
            "which value stays is chance.",
            str(first),
        )
    if first.tool == "racecheck" and first.space == "global" and first.line == first.other_line:
        return Mistake(
            "update-not-atomic",
            f"Line {first.line} reads and writes {first.name or 'memory'} while other threads do the same ({case}): "
            "their updates overwrite one another, as it is no atomic operation.",
            str(first),
        )
    if first.kind in _STUCK:
        return Mistake(first.kind.replace(" ", "-"), f"Line {first.line}: {_STUCK[first.kind]} ({case}).", str(first))
    return Mistake(
        first.kind.replace(" ", "-"),
        f"{first.tool} finds a fault in line {first.line} ({case}): {first.kind}.",
        str(first),
    )


def _barrier(report, case: str, source: str) -> Mistake:
    """A race in shared memory. If the load comes before the store, or a barrier stands between the store and the load,
    then the barrier behind the load is missing: the store of the next round is too early."""
    name = report.name or "shared memory"
    store, load, late = report.other_line, report.line, report.kind == "write after read"
    if late:
        store, load = load, store
    between = "\n".join(mask(source).splitlines()[store : load - 1])
    if (late and load < store) or re.search(r"__syncthreads|\bsync\(|barrier", between):
        return Mistake(
            "barrier-missing-after-use",
            f"A barrier is missing behind the use of {name}: line {store} already stores the next values while another "
            f"thread still reads the old ones in line {load} ({case}).",
            str(report),
        )
    return Mistake(
        "barrier-missing-before-use",
        f"A barrier is missing between the store into {name} in line {store} and its use by another thread in line "
        f"{load} ({case}).",
        str(report),
    )


def check_grid(shape, blocks: int) -> None:
    """Raises Mistake unless the grid has as many blocks as were asked for."""
    if shape and shape[0] != blocks:
        raise Mistake(
            "grid-ignored",
            f"blocks = {blocks} was asked for, but the grid had {count(shape[0], 'block')}: "
            "launch with the number that the launcher is given.",
        )
