"""Timing on the GPU with CUDA events."""

import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass

from .errors import TargetError


@dataclass(frozen=True)
class Timing:
    """Milliseconds a call: the median of the repeats, and their 10th and 90th percentile."""

    ms: float
    ms_low: float
    ms_high: float

    @classmethod
    def of(cls, samples: list[float]) -> "Timing":
        ordered = sorted(samples)
        tenth = len(ordered) // 10
        return cls(statistics.median(ordered), ordered[tenth], ordered[-1 - tenth])


def compare(calls: dict[str, Callable[[], object]], repeats: int = 50, warm_up: int = 5) -> dict[str, Timing]:
    """Time several calls against each other.

    The calls take turns, so that a change of clocks meets all of them alike. Before each, a buffer four times as
    large as the L2 cache is overwritten: every call finds its data in device memory. Then the GPU waits for as long as
    the call took Python when it was last warmed up, so that what is timed is the GPU's work alone.

    Args:
        calls: name -> function without arguments that launches work on the current stream.
        repeats: timed calls of each.
        warm_up: calls of each before the first is timed.

    Raises:
        TargetError: there is no GPU. The emulator's speed says nothing of a GPU's, so it is never reported here.
    """
    torch = _torch_with_gpu()
    l2_bytes = torch.cuda.get_device_properties().L2_cache_size
    flush = torch.empty(4 * l2_bytes, dtype=torch.uint8, device="cuda")
    clock_hz = 1e3 * torch.cuda.get_device_properties().clock_rate
    cycles = {}
    for name, call in calls.items():
        for _ in range(warm_up):
            torch.cuda.synchronize()
            began = time.perf_counter()
            call()
            cycles[name] = int(1.5 * (time.perf_counter() - began + 50e-6) * clock_hz)
    events = {name: [] for name in calls}
    for _ in range(repeats):
        for name, call in calls.items():
            start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
            flush.zero_()
            torch.cuda._sleep(cycles[name])
            start.record()
            call()
            end.record()
            events[name].append((start, end))
    torch.cuda.synchronize()
    times = {name: [s.elapsed_time(e) for s, e in pairs] for name, pairs in events.items()}
    return {name: Timing.of(samples) for name, samples in times.items()}


def back_to_back(call: Callable[[], object], calls: int = 200, repeats: int = 9) -> Timing:
    """Time a call as a program makes it: many in a row, with Python's and the launch's own cost in it.

    Args:
        call: launches work on the current stream.
        calls: calls between two events; the time is divided by it.
        repeats: how many such rows are timed.

    Raises:
        TargetError: there is no GPU.
    """
    torch = _torch_with_gpu()
    samples = []
    for _ in range(repeats + 1):  # the first row warms up
        start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        torch.cuda.synchronize()
        start.record()
        for _ in range(calls):
            call()
        end.record()
        torch.cuda.synchronize()
        samples.append(start.elapsed_time(end) / calls)
    return Timing.of(samples[1:])


def _torch_with_gpu():
    import torch

    if torch.cuda.device_count() == 0:
        raise TargetError("There is no GPU to time. Recorded figures are in records/: see cudabook.record(name).")
    return torch
