"""Names for mistakes in elementwise kernels, from what can be observed: launches, memory around the buffers.

Here and in written.py and values.py, ``t`` is a trial (see elementwise.py), ``r`` one of its results (see tasks.py),
and ``shape`` the blocks and the threads of a block, where known.
"""

import re

from .guarded import untouched
from .mistake import Mistake

# What a launch beyond a limit is refused with: the emulator says the second, CUDA 13 on an H200 the first.
REFUSALS = ("cudaErrorInvalidValue", "cudaErrorInvalidConfiguration")


def at(t, name: str, i: int) -> str:
    """One line about element i of an output: its inputs and what the answer made of them."""
    out = "never written" if untouched(t.outputs[name])[i] else f"{t.outputs[name][i]:.9g}"
    return ", ".join([*(f"{k}[{i}] = {v[i]:.9g}" for k, v in t.inputs.items()), f"your {name}[{i}]: {out}"])


def names(found, last: str = "and") -> str:
    """'a', 'a and b', 'a, b and c'."""
    *others, final = found
    return f"{', '.join(others)} {last} {final}" if others else final


def grid_of(shape) -> str:
    return f"the launch had {count(shape[0], 'block')} of {count(shape[1], 'thread')}" if shape else ""


def count(number: int, noun: str) -> str:
    return f"{number} {noun}" + ("" if number == 1 else "s")


def refused(error: str, report: str, n: int, arguments: tuple = ()) -> Mistake:
    """A mistake for a CUDA error. The emulator's report says which limit it was; a GPU gives only the error."""
    where = f"n = {n}" + "".join(f", blocks = {a}" for a in arguments)
    details = [report] if report else []
    empty = "empty grid" in report or (not report and error in REFUSALS and n == 0)
    if empty and n == 0:
        return Mistake(
            "empty-input",
            "Launch refused for n = 0: a grid of zero blocks is an error, which a later call "
            "would get to see. Return early when there is nothing to do.",
            *details,
        )
    if empty:
        return Mistake(
            "grid-rounded-down",
            f"Launch refused for {where}: the grid has zero blocks. If the number of "
            "blocks is n / block, it is rounded down; it must be rounded up.",
            *details,
        )
    if "block too large" in report or "empty block" in report:
        return Mistake(
            "block-size",
            f"Launch refused for {where} ({error}): a block has 1 to 1024 threads. Larger n "
            "takes more blocks, not larger ones.",
            *details,
        )
    if error in REFUSALS and not report:
        return Mistake(
            "launch-refused",
            f"Launch refused for {where} ({error}): the grid or the block is empty or too large.",
            *details,
        )
    if error in ("cudaErrorIllegalAddress", "cudaErrorMisalignedAddress"):
        return Mistake(
            "illegal-address", f"The kernel went to memory that is not its own with {where} ({error}).", *details
        )
    kind = re.search(r":\d+\): ([a-z ]+)\. ", report)
    name = kind[1].replace(" ", "-") if kind else "cuda-error"
    return Mistake(name, f"CUDA reports {error} with {where}" + (f": {kind[1]}." if kind else "."), *details)


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
            f"The launch did not happen (n = {t.n}), and no error is left: was it not reached, or "
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
            f"{count(number, 'element')} of memory behind {name} were written: check that every index is below n.",
            *details,
        )


def check_inputs_unchanged(t) -> None:
    for name, changed in t.changed.items():
        if changed.any():
            raise Mistake(
                "input-changed",
                f"Input {name} was changed: only {names(t.outputs)} may be written.",
                f"{t.where}: {count(int(changed.sum()), 'element')}, the first at index {int(changed.nonzero()[0])}",
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


def check_parallel(shape, n: int) -> None:
    """Raises Mistake if the work of n elements is left to one block, or to blocks of less than a warp."""
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
            f"The values are right, but one block did all of n = {n}: a block runs on one of the GPU's "
            "many multiprocessors.",
        )


def check_grid(shape, blocks: int) -> None:
    """Raises Mistake unless the grid has as many blocks as were asked for."""
    if shape and shape[0] != blocks:
        raise Mistake(
            "grid-ignored",
            f"blocks = {blocks} was asked for, but the grid had {count(shape[0], 'block')}: "
            "launch with the number that the launcher is given.",
        )
