"""Names for mistakes that show as wrong values."""

import torch

from .mistake import Mistake
from .naming import at, count
from .tasks import Result

_REACH = 8  # how far shifts are looked for
_NARROWER = [("a float", torch.float32), ("half precision", torch.float16), ("bfloat16", torch.bfloat16)]


def check_values(t, r, shape, again) -> None:
    """Raises Mistake unless the output is right. ``again`` runs the trial once more with outputs of 0 before it."""
    if not r.wrong.any():
        return
    number, first = int(r.wrong.sum()), int(r.wrong.nonzero()[0])
    details = [f"{t.where}: {count(number, 'element')} of {t.n} wrong", "first: " + at(t, r.name, first)]
    name, sentence = _recognise(t, r, shape, again)
    raise Mistake(name, sentence, *details)


def recognise(r) -> tuple[str, str] | None:
    """(mistake, sentence) where the output is what one of the task's mistakes makes of the inputs."""
    for output, name, sentence, value in r.task.mistakes(**r.inputs):
        if output == r.name and r.holds(value).all():
            return name, sentence
    return None


def lost_precision(r) -> tuple[str, str] | None:
    """(mistake, sentence) where the output is right to fewer digits than its dtype has."""
    for what, dtype in _NARROWER:
        looser = torch.finfo(dtype).eps / torch.finfo(r.got.dtype).eps
        if looser > 1 and r.holds(r.want, looser=looser).all():
            sentence = f"{r.name} is right to the digits of {what} only: does a {str(r.got.dtype)[6:]} pass through it?"
            return "lost-precision", sentence
    return None


def _recognise(t, r, shape, again) -> tuple[str, str]:
    want, wrong, n, name = r.want, r.wrong, t.n, r.name
    if known := recognise(r):
        return known
    if r.got[wrong].isnan().all() and not _other(again(), r).wrong.any():
        sentence = f"{name} is read before it is written: it holds no zeros beforehand ({name}[i] = …, not +=)."
        return "out-read-first", sentence
    if n > 1 and r.holds(want.flip(0)).all():
        return "reversed", "The results are in reverse order."
    if shift := _shift(r):
        return shift
    position = torch.arange(n)
    if n > 1 and r.holds(want[:1].expand(n)).all():
        return "index-constant", f"Every element is that of {name}[0]: the loads do not use the thread's index."
    blocks, threads = shape or (0, 0)
    if blocks > 1 and r.holds(want[position % threads]).all():
        return (
            "index-without-block",
            "Every block repeats the results of the first: the index of the loads lacks blockIdx.x * blockDim.x.",
        )
    if blocks > 1 and r.holds(want[position // threads]).all():
        return (
            "index-without-thread",
            "All threads of a block give the same result: the index of the loads lacks threadIdx.x.",
        )
    first, last = int(wrong.nonzero()[0]), int(wrong.nonzero()[-1])
    if wrong[first:].all() and first:
        return "tail-wrong", f"The first {first} elements are right, the last {n - first} are wrong."
    if wrong[: last + 1].all() and last < n - 1:
        return "start-wrong", f"The first {last + 1} elements are wrong, the others right."
    return lost_precision(r) or ("wrong-values", f"{name} is not {r.task.what}.")


def _other(t, r) -> Result:
    return Result(r.task, r.name, t.outputs[r.name], t.inputs)


def _shift(r) -> tuple[str, str] | None:
    """Where the output is right but for inputs that are read some elements further: all of them, or one."""
    n = len(r.got)
    if n < 4 * _REACH:
        return None
    inner = slice(_REACH, n - _REACH)
    for step in (s for distance in range(1, _REACH + 1) for s in (-distance, distance)):
        moved = {name: x.roll(-step) for name, x in r.inputs.items()}
        if r.holds(r.wanted(moved)[inner], inner).all():
            side = "right" if step < 0 else "left"
            return "shifted", f"The results are shifted {count(abs(step), 'element')} to the {side}."
        for name in moved:
            if r.holds(r.wanted(r.inputs | {name: moved[name]})[inner], inner).all():
                place = f"i {'+' if step > 0 else '-'} {abs(step)}"
                return "input-shifted", f"The inputs do not belong together: {name} is read at {place}, not at i."
    return None


def check_special(t, r) -> None:
    """Raises Mistake unless the right values come out where arithmetic is delicate."""
    if not r.wrong.any():
        return
    i = int(r.wrong.flatten().nonzero()[0])
    got, want = r.got.flatten()[i], r.want.flatten()[i]
    inputs = [x[i : i + 1] if x.shape == r.got.shape and x.dim() == 1 else x for x in t.inputs.values()]
    tiny = torch.finfo(r.got.dtype).tiny
    if got == 0 and want == 0:
        name, sentence = "sign-of-zero", "The sign of a zero is lost: -0.0 and 0.0 are two values."
    elif got == 0 and any(((x != 0) & (x.abs() < tiny)).any() for x in (*inputs, want)):
        name, sentence = "denormals-flushed", "Values below 2^-126 (denormals) are taken for zero."
    elif want.isnan():
        name, sentence = "nan-lost", "A NaN must come out here, and does not."
    elif want.isfinite() and not got.isfinite() and all(x.isfinite().all() for x in inputs):
        name, sentence = "overflow", "The result is an ordinary number, but on the way to it a value overflows."
    elif got.isnan():
        name, sentence = "nan-made", "A NaN comes out where none belongs: is an infinity multiplied by 0?"
    elif want.isinf() or any(x.isinf().any() for x in inputs):
        name, sentence = "infinity-lost", "Infinities or overflows come out wrong."
    else:
        name, sentence = "special-values", "Ordinary values come out right, but not these."
    raise Mistake(name, sentence, at(t, r.name, i))
