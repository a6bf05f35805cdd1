"""Names for mistakes that show as wrong values."""

import torch

from .guarded import same_bits
from .mistake import Mistake
from .naming import at, count

# What out may hold instead of the sum: name, sentence, function of a and b.
_FORMULAS = [
    ("subtracted", "out[i] is a[i] - b[i].", lambda a, b: a - b),
    ("subtracted", "out[i] is b[i] - a[i].", lambda a, b: b - a),
    ("multiplied", "out[i] is a[i] * b[i].", lambda a, b: a * b),
    ("divided", "out[i] is a[i] / b[i].", lambda a, b: a / b),
    ("input-twice", "a is used twice, b not at all: out[i] is a[i] + a[i].", lambda a, b: a + a),
    ("input-twice", "b is used twice, a not at all: out[i] is b[i] + b[i].", lambda a, b: b + b),
    ("copied", "out[i] is a[i]: b is never added.", lambda a, b: a),
    ("copied", "out[i] is b[i]: a is never added.", lambda a, b: b),
    ("halved", "out[i] is half of the sum.", lambda a, b: (a + b) / 2),
    ("negated", "The sign is wrong: out[i] is -(a[i] + b[i]).", lambda a, b: -(a + b)),
    ("doubled", "b is added twice.", lambda a, b: a + b + b),
    ("doubled", "a is added twice.", lambda a, b: a + b + a),
    ("lost-fraction", "The fraction is lost: a value passes through an integer.", lambda a, b: (a + b).trunc()),
    ("lost-fraction", "The fraction is lost: the inputs pass through integers.", lambda a, b: a.trunc() + b.trunc()),
    ("absolute-value", "The sign is lost: out[i] is |a[i] + b[i]|.", lambda a, b: (a + b).abs()),
    ("lost-precision", "Digits are lost: the sum passes through half precision.", lambda a, b: (a + b).half().float()),
    ("lost-precision", "Digits are lost: the sum passes through bfloat16.", lambda a, b: (a + b).bfloat16().float()),
]
_REACH = 8  # how far shifts are looked for


def check_values(t, want, shape, again) -> None:
    """Raises Mistake unless out is ``want`` bit by bit. ``again`` runs the trial once more with out = 0 before it."""
    wrong = ~same_bits(t.out, want)
    if not wrong.any():
        return
    n, number, first = t.n, int(wrong.sum()), int(wrong.nonzero()[0])
    details = [f"{t.where}: {count(number, 'element')} of {n} wrong", "first: " + at(t, first)]
    name, sentence = _recognise(t, want, wrong, shape, again)
    raise Mistake(name, sentence, *details)


def _recognise(t, want, wrong, shape, again) -> tuple[str, str]:
    a, b, out, n = t.a, t.b, t.out, t.n
    for name, sentence, formula in _FORMULAS:
        if same_bits(out, formula(a, b)).all():
            return name, sentence
    if out[wrong].isnan().all() and same_bits(again().out, want).all():
        return "out-read-first", "out is read before it is written: it holds no zeros beforehand (out[i] = …, not +=)."
    if n > 1 and same_bits(out, want.flip(0)).all():
        return "reversed", "The results are in reverse order."
    if shift := _shift(a, b, out):
        by_a, by_b = shift
        if by_a == by_b:
            side = "right" if by_a < 0 else "left"
            return "shifted", f"The results are shifted {count(abs(by_a), 'element')} to the {side}."
        return "input-shifted", f"The inputs do not belong together: out[i] is a[{_index(by_a)}] + b[{_index(by_b)}]."
    position = torch.arange(n)
    if n > 1 and same_bits(out, want[:1].expand(n)).all():
        return "index-constant", "Every element is a[0] + b[0]: the loads do not use the thread's index."
    blocks, threads = shape or (0, 0)
    if blocks > 1 and same_bits(out, want[position % threads]).all():
        return (
            "index-without-block",
            "Every block repeats the results of the first: the index of the loads lacks blockIdx.x * blockDim.x.",
        )
    if blocks > 1 and same_bits(out, want[position // threads]).all():
        return (
            "index-without-thread",
            "All threads of a block give the same result: the index of the loads lacks threadIdx.x.",
        )
    first, last = int(wrong.nonzero()[0]), int(wrong.nonzero()[-1])
    if wrong[first:].all() and first:
        return "tail-wrong", f"The first {first} elements are right, the last {n - first} are wrong."
    if wrong[: last + 1].all() and last < n - 1:
        return "start-wrong", f"The first {last + 1} elements are wrong, the others right."
    return "wrong-values", "out is not a + b."


def _index(shift: int) -> str:
    return "i" if shift == 0 else f"i {'+' if shift > 0 else '-'} {abs(shift)}"


def _shift(a, b, out) -> tuple[int, int] | None:
    """(j, k) if out[i] = a[i + j] + b[i + k] wherever all of that exists, and (j, k) is not (0, 0)."""
    n = len(out)
    if n < 4 * _REACH:
        return None
    inner = slice(_REACH, n - _REACH)
    for j in range(-_REACH, _REACH + 1):
        for k in range(-_REACH, _REACH + 1):
            moved = a[_REACH + j : n - _REACH + j] + b[_REACH + k : n - _REACH + k]
            if (j or k) and torch.equal(out[inner], moved):
                return j, k
    return None


def check_special(t, want) -> None:
    """Raises Mistake unless ``want`` comes out for infinities, NaN, signed zeros and denormals."""
    wrong = ~same_bits(t.out, want)
    if not wrong.any():
        return
    i = int(wrong.nonzero()[0])
    x, y, got = t.a[i], t.b[i], t.out[i]
    tiny = torch.finfo(torch.float32).tiny
    if got == 0 and want[i] == 0:
        name, sentence = "sign-of-zero", "The sign of a zero is lost: -0.0 and 0.0 are two values."
    elif got == 0 and any(0 < z < tiny for z in (x.abs(), y.abs(), want[i].abs())):
        name, sentence = "denormals-flushed", "Values below 2^-126 (denormals) are taken for zero."
    elif want[i].isnan():
        name, sentence = "nan-lost", "A NaN must come out here, and does not."
    elif x.isinf() or y.isinf() or want[i].isinf():
        name, sentence = "infinity-lost", "Infinities or overflows come out wrong."
    else:
        name, sentence = "special-values", "Ordinary values are added, but not these."
    raise Mistake(name, sentence, at(t, i))
