"""Checks of what a kernel asks of memory, by the emulator's profile. Each mistake comes with its count."""

import math

import torch

from .. import profile
from . import kernels, naming
from .answer import Answer
from .mistake import Mistake

_SLACK = 1.1  # more than the fewest by this factor is named


def watched(answer: Answer, *numbers: int):
    """The profile of a call on the usual inputs, made once."""
    key = ("profile", *numbers)
    if key in answer.cache:
        return answer.cache[key]
    function = kernels.first_function(answer)
    dtype, _, outs = answer.buffers(function)
    memory = list(kernels.inputs(answer, *numbers).values())
    memory += [torch.empty(shape, dtype=dtype) for shape in answer.task.shapes_of(outs, *numbers).values()]
    with profile() as seen:
        getattr(answer.emulated, function)(*memory, *numbers)
    answer.cache[key] = seen
    return seen


def _total(seen, counter: str, kind: str, space: str = "global") -> int:
    return sum(launch.total(counter, kind, space) for launch in seen.launches)


def _details(answer: Answer, numbers: tuple[int, ...], seen) -> list[str]:
    names = answer.numbers(kernels.first_function(answer))
    return [naming.where(dict(zip(names, numbers, strict=True))), str(seen)]


def check_coalesced(answer: Answer, *numbers: int, kinds=("load", "store")) -> None:
    """A warp's accesses to global memory lie side by side, in as few sectors as hold them."""
    seen = watched(answer, *numbers)
    for access in (a for launch in seen.launches for a in launch.accesses):
        if access.space == "global" and access.kind in kinds and access.sectors > _SLACK * access.ideal_sectors:
            raise Mistake(
                f"uncoalesced-{access.kind}s",
                f"The {access.kind} in line {access.line} touches {access.sectors / access.requests:.3g} sectors of 32 "
                f"bytes a warp, where {access.ideal_sectors / access.requests:.3g} hold as much: neighbouring threads "
                "must take neighbouring elements.",
                *_details(answer, numbers, seen),
            )


def check_conflicts(answer: Answer, *numbers: int, kinds=("load", "store")) -> None:
    """A warp's accesses to shared memory go to different banks: a wavefront for each word of a lane is enough."""
    seen = watched(answer, *numbers)
    for access in (a for launch in seen.launches for a in launch.accesses):
        enough = max(access.ideal_wavefronts, access.requests * access.size // 4)
        if access.space == "shared" and access.kind in kinds and access.wavefronts > _SLACK * enough:
            raise Mistake(
                "bank-conflicts",
                f"The {access.kind} in line {access.line} takes {access.wavefronts / access.requests:.3g} wavefronts a "
                f"warp, where {enough / access.requests:.3g} would do: its lanes want different words of the same bank "
                f"of shared memory ({access.wavefronts} wavefronts in {access.requests} requests).",
                *_details(answer, numbers, seen),
            )


def check_loads(answer: Answer, *numbers: int, most: float, advice: str) -> None:
    """The threads together ask global memory for no more than ``most`` elements for each element of the output."""
    seen = watched(answer, *numbers)
    dtype, _, outs = answer.buffers(kernels.first_function(answer))
    elements = sum(math.prod(shape) for shape in answer.task.shapes_of(outs, *numbers).values())
    loads = _total(seen, "bytes", "load") / dtype.itemsize / elements
    if loads > _SLACK * most:
        raise Mistake(
            "loads-repeated",
            f"The kernel loads {loads:.3g} elements from global memory for each element of {naming.names(outs)}, where "
            f"{most:.3g} are enough: {advice}",
            *_details(answer, numbers, seen),
        )


def check_loaded_once(answer: Answer, *numbers: int) -> None:
    """No element of an input is loaded twice."""
    seen = watched(answer, *numbers)
    dtype, ins, _ = answer.buffers(kernels.first_function(answer))
    given = sum(x.numel() for x in kernels.inputs(answer, *numbers).values())
    loads = _total(seen, "bytes", "load") / dtype.itemsize
    if loads > _SLACK * given:
        raise Mistake(
            "loads-repeated",
            f"The kernel loads {loads:.0f} elements from global memory, and {naming.names(ins)} has {given}.",
            *_details(answer, numbers, seen),
        )


def check_shared_wavefronts(answer: Answer, *numbers: int, work: int, most: float, what: str, advice: str) -> None:
    """Loads from shared memory take no more than ``most`` wavefronts for 32 of the ``work`` (called ``what``)."""
    seen = watched(answer, *numbers)
    wavefronts = _total(seen, "wavefronts", "load", "shared")
    each = 32 * wavefronts / work
    if each > _SLACK * most:
        raise Mistake(
            "shared-memory-bound",
            f"Loads from shared memory take {each:.3g} wavefronts for each 32 {what}, where {most:.3g} are enough "
            f"({wavefronts} in all): {advice}",
            *_details(answer, numbers, seen),
        )


def check_atomics(answer: Answer, *numbers: int) -> None:
    """No more than one atomic operation a block."""
    seen = watched(answer, *numbers)
    atomics = _total(seen, "lanes", "atomic")
    blocks = sum(math.prod(launch.grid) for launch in seen.launches)
    if atomics > blocks:
        raise Mistake(
            "too-many-atomics",
            f"{atomics} atomic operations by {naming.count(blocks, 'block')}: all of them queue for one address. Add "
            "up the sum of a block first, and let one of its threads add it to out.",
            *_details(answer, numbers, seen),
        )


def check_shuffles(answer: Answer, *numbers: int, most: float) -> None:
    """A warp stores no more than ``most`` values into shared memory: the rest is done by shuffles."""
    seen = watched(answer, *numbers)
    stores = sum(_total(seen, "lanes", kind, "shared") for kind in ("store", "atomic"))
    warps = sum(math.prod(launch.grid) * -(-math.prod(launch.block) // 32) for launch in seen.launches)
    if stores > most * warps:
        raise Mistake(
            "no-shuffles",
            f"Each warp stores {stores / warps:.3g} values into shared memory, where {most:.3g} are enough: within a "
            "warp, sums go from lane to lane by __shfl_down_sync or __shfl_xor_sync.",
            *_details(answer, numbers, seen),
        )


def check_parallel(answer: Answer, *numbers: int) -> None:
    """The work of the largest launch is spread over blocks and threads."""
    seen = watched(answer, *numbers)
    launch = max(seen.launches, key=lambda launch: math.prod((*launch.grid, *launch.block)))
    naming.check_parallel((math.prod(launch.grid), math.prod(launch.block)), _details(answer, numbers, seen)[0])
