"""Checks of kernels whose threads work together on an array: by blocks, rows or tiles.

An element that is wrong says little by itself. So the values are compared with those that known mistakes give, the
sanitizers are asked, and then it is told where in the array the wrong elements lie.
"""

from . import kernels, naming, values, written
from .answer import Answer
from .guarded import untouched
from .kernels import Trial
from .mistake import Mistake
from .places import MISSING, WRONG, place
from .tasks import Result

_WATCHED = 1 << 17  # elements up to which the sanitizers are asked


def check_values(answer: Answer, cases, seeds=(0, 1)) -> None:
    """Every element of every output is written and right, for two sets of inputs of each size."""
    for case in cases:
        for seed in seeds:
            t = kernels.trial(answer, *case, seed=seed)
            for r in t.results():
                _judge(answer, t, r)


def check_special(answer: Answer) -> None:
    """Values with which arithmetic is delicate come out right."""
    for t in kernels.special_trials(answer):
        for r in t.results():
            if r.wrong.any() and (known := values.recognise(r)):
                raise Mistake(*known, t.where)
            values.check_special(t, r)


def _judge(answer: Answer, t: Trial, r: Result) -> None:
    missing = untouched(r.got)
    bad = missing | r.wrong
    if not bad.any():
        return
    details = [
        f"{t.where}: {naming.count(int(bad.sum()), 'element')} of {bad.numel()} wrong or not written",
        "first: " + naming.at(t, r.name, int(bad.flatten().nonzero()[0])),
    ]
    if missing.all() and not any(x.numel() for x in t.inputs.values()):
        sentence = f"{r.name} has elements even where there are none to add up: they are 0, and must be written."
        raise Mistake("empty-sum-not-written", sentence, *details)
    if missing.all():
        raise Mistake(*written.nothing(t, r), *details)
    if known := values.recognise(r):
        raise Mistake(*known, *details)
    case = tuple(t.numbers.values())
    small = sum(x.numel() for x in (*t.inputs.values(), r.got)) <= _WATCHED
    found = list(kernels.findings(answer, *case)) if small else []
    if together := [f for f in found if f.tool in ("racecheck", "synccheck") and f.space != "global"]:
        raise naming.fault(together, t.where, answer.path.read_text())
    if missing.any():
        raise Mistake(*place(missing, r.name, MISSING, kernels.shape_of(answer, t)), *details)
    again = kernels.run(answer, t.inputs, *case, fill=0.0)
    if r.got[r.wrong].isnan().all() and not _other(again, r).wrong.any():
        sentence = f"{r.name} is read before it is written: it holds no zeros beforehand."
        raise Mistake("out-read-first", sentence, *details)
    if found:
        raise naming.fault(found, t.where, answer.path.read_text())
    if not kernels.same_results(t, kernels.run(answer, t.inputs, *case)):
        sentence = "The values are wrong, and others the second time: threads do not wait for one another."
        raise Mistake("not-repeatable", sentence, *details)
    raise Mistake(*values.lost_precision(r) or place(r.wrong, r.name, WRONG, None), *details)


def _other(t: Trial, r: Result) -> Result:
    return Result(r.task, r.name, t.outputs[r.name], t.inputs)
