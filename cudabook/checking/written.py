"""Names for mistakes that leave elements of an output unwritten."""

import torch

from .guarded import untouched
from .mistake import Mistake
from .naming import at, count, grid_of


def check_written(t, r, shape) -> None:
    """Raises Mistake unless every element of the output was written."""
    missing = untouched(r.got)
    number = int(missing.sum())
    if number == 0:
        return
    n, written = t.n, ~missing
    first = int(missing.nonzero()[0])
    blocks, threads = shape or (0, 0)
    details = [f"{t.where}: {grid_of(shape)}", "first: " + at(t, r.name, first)]

    def mistake(name: str, sentence: str) -> Mistake:
        return Mistake(name, sentence, *details)

    if number == n:
        raise mistake(*nothing(t, r))
    if missing[first:].all():
        raise _missing_tail(mistake, n, first, number, blocks, threads, t.arguments)
    if written[number:].all() and missing[:number].all():
        if r.holds(r.want[:-number], slice(number, None)).all():
            raise mistake("shifted", f"The results are written {count(number, 'element')} too far to the right.")
        if number == 1:
            raise mistake("first-element-skipped", "Element 0 was never written: indices start at 0.")
        raise mistake("start-missing", f"The first {number} of {n} elements were never written.")
    position = torch.arange(n)
    if threads and (written == (position % (blocks * threads) < threads)).all():
        raise mistake(
            "start-without-block",
            f"Of each {blocks * threads} elements only the first {threads} were written: "
            "every block starts at the same element; the start lacks blockIdx.x * blockDim.x.",
        )
    for step in range(2, min(n, 1025)):
        if (written == (position % step == 0)).all():
            raise mistake(
                "index-scaled",
                f"Only one element in {step} was written: neighbouring threads must take neighbouring elements.",
            )
    raise mistake("elements-missing", f"{number} of {n} elements were never written, the first at index {first}.")


def nothing(t, r) -> tuple[str, str]:
    """(mistake, sentence) where no element of the output was written."""
    for name, changed in t.changed.items():
        if changed.any():
            sentence = f"Nothing was written into {r.name}, but {name} was changed: the result goes into {r.name}."
            return "input-changed", sentence
    if any(len(d) for d in t.damage[r.name].values()):
        sentence = f"All writes missed {r.name} and fell next to it: the index is wrong for every thread."
        return "written-outside", sentence
    return "nothing-written", f"The kernel ran, but wrote nothing into {r.name}."


def _missing_tail(mistake, n, first, number, blocks, threads, arguments) -> Mistake:
    """Elements first .. n-1 were never written."""
    total = blocks * threads
    tail = (
        f"the last {number} of {n} elements were never written" if number > 1 else "the last element was never written"
    )
    if number == 1 and total >= n:
        return mistake(
            "last-element-skipped", f"{tail.capitalize()}: the condition is one too strict (i < n is right)."
        )
    if arguments and first == total:
        return mistake(
            "no-stride",
            f"{tail.capitalize()}: each thread made one element only. With a grid of fixed size "
            "a thread goes on to the element one grid further, until n.",
        )
    if first == total and blocks == n // threads:
        return mistake(
            "grid-rounded-down",
            f"{tail.capitalize()}: {blocks} blocks of {threads} threads are {total}. "
            "The grid is rounded down (n / block); it must be rounded up.",
        )
    if first == total:
        return mistake(
            "grid-too-small",
            f"{tail.capitalize()}: the grid has {count(blocks, 'block')} of "
            f"{count(threads, 'thread')}, together {total}.",
        )
    if blocks > 1 and first == threads:
        return mistake(
            "index-without-block",
            f"Only the first {threads} elements were written, as many as a block has "
            "threads: the index lacks blockIdx.x * blockDim.x.",
        )
    if blocks > 1 and first == blocks:
        return mistake(
            "index-without-thread",
            f"Only the first {blocks} elements were written, as many as there are blocks: the index lacks threadIdx.x.",
        )
    if blocks > 1 and first == blocks + threads - 1:
        return mistake(
            "index-not-scaled",
            f"Only the first {first} elements were written: blocks overlap; blockIdx.x "
            "must be multiplied by blockDim.x.",
        )
    if blocks > 1 and first == (blocks - 1) * blocks + threads:
        return mistake(
            "index-by-grid",
            f"Only the first {first} elements were written: blockIdx.x is multiplied by "
            "gridDim.x instead of blockDim.x.",
        )
    return mistake("tail-missing", f"{tail.capitalize()}.")
