"""What a call does, recorded as it happens: the steps that it passes, and the matrices that it reads and writes."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import torch
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

# Events of torch.profiler that are steps: frames of the operator's Python side, and these of PyTorch's own.
OWN_SIDE = re.compile(r"cudabook/(ops/\w+\.py)\((\d+)\): ([a-z]\w*)$")
AUTOGRAD = re.compile(r"torch/_library/autograd\.py\((\d+)\): autograd_impl$")
REDISPATCH = re.compile(r"torch/_ops\.py\(\d+\): redispatch$")
FAKE_MODE = re.compile(r"torch/_subclasses/fake_tensor\.py\((\d+)\): __torch_dispatch__$")
OTHER_NODE = re.compile(r"\w+Backward\d$")
ATEN = ("aten::to", "aten::empty", "aten::empty_like", "aten::contiguous")


@dataclass(frozen=True)
class Step:
    """One step of a call.

    Attributes:
        kind: 'operator', 'autocast', 'autograd', 'fake', 'kernel', 'node' (of the operator's backward), 'other node' or
            'aten'.
        text: what happens.
        where: the place in the sources, or ''.
        depth: how many of the other steps it lies in.
        times: how often it comes in a row.
    """

    kind: str
    text: str
    where: str
    depth: int
    times: int = 1


def registered(op, name: str) -> dict[str, str]:
    """Dispatch key -> 'file:line' of what is registered there, as PyTorch's dispatcher tells.

    Args:
        op: what ``cudabook.load`` returned.
        name: one of its operators.
    """
    dump = torch._C._dispatch_dump(f"{op.namespace}::{name}")
    return dict(re.findall(r"^([A-Z]\w+)\S*: registered at .*?([\w.]+:\d+) ::", dump, re.MULTILINE))


def record(op, call: Callable[[], object]) -> list[Step]:
    """Run ``call`` once under torch.profiler, and return its steps in the order in which they began.

    The backward runs in the calling thread, on a GPU too, so that its Python frames are seen.

    Args:
        op: what ``cudabook.load`` returned; its operators are the ones that are followed.
        call: takes no arguments; uses ``op``.
    """
    profiler = torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU], with_stack=True)
    with torch.autograd.set_multithreading_enabled(False), profiler:
        call()
    # Of all releases of PyTorch that the project runs with, only some have Python frames in profiler.events().
    tree = profiler.profiler.kineto_results.experimental_event_tree()
    events = sorted((e.start_time_ns, -e.end_time_ns, e.name) for e in _with_children(tree))
    steps, open_steps = [], []  # of those that are not over: (end, step)
    for start, minus_end, name in events:
        while open_steps and open_steps[-1][0] <= start:
            open_steps.pop()
        above = [step for _, step in open_steps]
        if above and above[-1].kind in ("aten", "other node"):
            continue
        inside = [other for begin, _, other in events if start < begin < -minus_end]
        step = _step(op, name, inside, above)
        if step is None:
            continue
        if steps and replace(steps[-1], times=1) == step:
            steps[-1] = replace(step, times=steps[-1].times + 1)
        else:
            steps.append(step)
        open_steps.append((-minus_end, step))
    return steps


def _with_children(events) -> Iterator:
    for event in events:
        yield event
        yield from _with_children(event.children)


def _step(op, name: str, inside: list[str], above: list[Step]) -> Step | None:
    """What a recorded event is, or None for one that is no step."""
    backend, depth = ("CUDA" if op.device == "cuda" else "CPU"), len(above)
    if name.startswith(f"{op.namespace}::"):
        return Step("operator", name.split("::")[1], "", depth)
    if found := AUTOGRAD.search(name):
        return Step("autograd", f"key Autograd{backend}", f"torch/_library/autograd.py:{found[1]}", depth)
    if REDISPATCH.search(name) and not any(FAKE_MODE.search(other) for other in inside):
        operator = [step.text for step in above if step.kind == "operator"][-1]
        place = registered(op, operator)[backend]
        return Step("kernel", f"key {backend}: binding, launch, kernel", place, depth)
    if (found := FAKE_MODE.search(name)) and any(OWN_SIDE.search(other) for other in inside):
        return Step("fake", "key Python: FakeTensorMode", f"torch/_subclasses/fake_tensor.py:{found[1]}", depth)
    if found := OWN_SIDE.search(name):
        kind = found[3] if found[3] in ("autocast", "fake") else "autograd"
        key = f"key Autocast{backend}: " if kind == "autocast" else ""
        return Step(kind, f"{key}{found[3]}", f"{found[1]}:{found[2]}", depth)
    if name.startswith("GeneratedBackwardFor_"):  # twice: in the forward, and with this ending in the backward
        runs = name.endswith("Backward")
        return Step("node" if runs else "autograd", f"backward node {'runs' if runs else 'is made'}", "", depth)
    if OTHER_NODE.match(name):
        return Step("other node", f"backward node {name} runs", "", depth)
    return Step("aten", name, "", depth) if name in ATEN else None


def passes(function: Callable, inputs: tuple) -> tuple[list[tuple[str, int]], list[tuple[str, int]]]:
    """What PyTorch's operators read and write in the forward and in the backward of a function.

    Args:
        function: takes ``inputs``; its output has the shape of the first.
        inputs: tensors.

    Returns:
        For the forward and for the backward, each operation and how many tensors of the first one's shape it reads or
        writes.
    """
    leaves = [t.detach().requires_grad_() for t in inputs]
    grad = torch.ones_like(leaves[0])
    with _Passes(grad.shape) as forward:
        out = function(*leaves)
    with _Passes(grad.shape) as backward, torch.autograd.set_multithreading_enabled(False):
        torch.autograd.grad(out, leaves, grad)
    return forward.seen, backward.seen


class _Passes(TorchDispatchMode):
    """Notes each operation, and how many tensors of a shape go in and out."""

    def __init__(self, shape):
        super().__init__()
        self.shape, self.seen = shape, []

    def __torch_dispatch__(self, operation, types, args=(), kwargs=None):
        out = operation(*args, **kwargs or {})
        if not operation.is_view:  # a view moves nothing
            tensors = filter(torch.is_tensor, tree_leaves((args, kwargs, out)))
            name = operation.name().split("::")[1].split(".")[0]
            self.seen.append((name, sum(t.shape == self.shape for t in tensors)))
        return out
