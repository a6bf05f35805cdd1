"""Names for mistakes by where in an array the elements lie that are wrong, or not written."""

from dataclasses import dataclass

import torch

from .naming import count

_TILES = (8, 16, 32, 64, 128)


@dataclass(frozen=True)
class Fault:
    """What is the matter with elements: the end of the mistake's name, and words for them and for the others."""

    name: str
    bad: str
    good: str


MISSING = Fault("missing", "not written", "written")
WRONG = Fault("wrong", "wrong", "right")


def place(bad: torch.Tensor, name: str, fault: Fault, shape: tuple[int, int] | None) -> tuple[str, str]:
    """(mistake, sentence) for elements of an output.

    Args:
        bad: which they are.
        name: the output.
        fault: what is the matter with them.
        shape: the blocks and the threads of a block of the launch, where known.
    """
    elements = f"{'values' if fault is WRONG else 'elements'}-{fault.name}"
    if bad.dim() == 1 or bad.all():
        return elements, f"{name} is {fault.bad}."
    found = _launched(bad, name, fault, shape) or _edge(bad, name, fault) or _part(bad, name, fault)
    if found:
        return found
    rows, columns = (bad.any(1 - axis).nonzero().flatten() for axis in (0, 1))
    return elements, (
        f"{count(int(bad.sum()), 'element')} of {name} are {fault.bad}, in rows {int(rows[0])} to {int(rows[-1])} and "
        f"columns {int(columns[0])} to {int(columns[-1])}."
    )


def _launched(bad: torch.Tensor, name: str, fault: Fault, shape) -> tuple[str, str] | None:
    """Where the good elements are as many as the launch has threads in a block, or blocks."""
    (rows, columns), (blocks, threads) = bad.shape, shape or (0, 0)
    if 32 <= threads < columns and (bad == (torch.arange(columns) >= threads)).all():
        return "no-stride", (
            f"Only the first {threads} elements of each row of {name} are {fault.good}, one for each thread of a "
            "block: a thread goes on to the element blockDim.x further, until the row ends."
        )
    if 0 < blocks < rows and (bad == (torch.arange(rows) >= blocks)[:, None]).all():
        sentence = f"Only the first {blocks} rows of {name} are {fault.good}, one for each block of the grid."
        return f"rows-{fault.name}", sentence
    return None


def _edge(bad: torch.Tensor, name: str, fault: Fault) -> tuple[str, str] | None:
    """Where all is good up to some row and some column, and all is bad from there on."""
    rows, columns = bad.shape
    row, column = (_start(bad.all(1 - axis)) for axis in (0, 1))
    expected = torch.ones_like(bad)
    expected[:row, :column] = False
    if not row or not column or not (bad == expected).all():
        return None
    if row < rows and column < columns and row in _TILES and column in _TILES and 2 * row <= rows:
        return "first-tile-only", (
            f"Only rows 0 to {row - 1} and columns 0 to {column - 1} of {name} are {fault.good}, the part of one "
            "block: the index lacks blockIdx."
        )
    sides = [("rows", row, rows), ("columns", column, columns)]
    sides = [(what, start, end) for what, start, end in sides if start < end]
    where = " and ".join(f"{what} {start} to {end - 1}" for what, start, end in sides)
    if all(start % _TILES[0] == 0 and (end - start) % _TILES[0] == 0 for _, start, end in sides):
        return f"tiles-{fault.name}", (
            f"Whole tiles are {fault.bad}: {where} of {name}. Does the grid have as many blocks as there are tiles, in "
            "each direction?"
        )
    if all(start % _TILES[0] == 0 and end - start < _TILES[-1] for _, start, end in sides):
        return f"last-tile-{fault.name}", f"The last partial tile is {fault.bad}: {where} of {name}."
    return f"end-{fault.name}", f"The end of {name} is {fault.bad}: {where}."


def _start(line: torch.Tensor) -> int:
    """The first of the elements at the end that all are set."""
    return len(line) - int(line.flip(0).long().cumprod(0).sum())


def _part(bad: torch.Tensor, name: str, fault: Fault) -> tuple[str, str] | None:
    """Where of each tile the first rows, or columns, are good."""
    for axis, what in ((0, "rows"), (1, "columns")):
        line = bad.all(1 - axis)
        for tile in _TILES:
            good = int((~line[:tile]).sum())
            expected = torch.arange(len(line)) % tile >= good
            if 0 < good < tile < len(line) and (bad == (expected if axis else expected[:, None])).all():
                return f"part-of-tile-{fault.name}", (
                    f"Of each {tile} {what} of {name} only the first {good} are {fault.good}: where a block has fewer "
                    "threads than its tile has elements, a thread takes several."
                )
    return None
