"""Timing on the GPU with CUDA events."""

import dataclasses
import statistics
import subprocess
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


# Floating-point operations a clock and SM, of a multiply-add two; 16-bit types by tensor cores, without sparsity.
# NVIDIA's white papers on the architectures.
OPERATIONS_A_CLOCK = {
    (8, 0): {"float64": 64, "float32": 128, "float16": 2048, "bfloat16": 2048},
    (9, 0): {"float64": 128, "float32": 256, "float16": 4096, "bfloat16": 4096},
}


def measure(calls: dict[str, Callable[[], object]], check: Callable[[str, object], None], library: str,
            nbytes: float = 0, flops: float = 0, dtype: str = "float32", repeats: int = 50) -> list[dict]:
    """Time several calls that do the same, and say how they stand to each other and to the GPU's limits.

    Args:
        calls: name -> function without arguments; its result goes to ``check``.
        check: takes a name and a result, raises if it is wrong. Asked before the timing and after it.
        library: the name of the call that the others are compared with.
        nbytes: bytes that each call must at least read and write. Without ``flops``, a call 'copy' is added, which
            moves as many from one tensor to another.
        flops: floating-point operations that each call must do, of ``dtype``.
        repeats: timed calls of each.

    Returns:
        A row for each call: ``version``; ``ms``, ``ms_low``, ``ms_high`` (median, 10th and 90th percentile);
        ``of_library`` (its time over this one's); ``clock_mhz`` (of the SMs when all had run); ``gb_per_s`` and
        ``of_copy`` or, with ``flops``, ``tflop_per_s``.

    Raises:
        TargetError: there is no GPU.
        ValueError: a call was faster than the GPU can be: it did not do the work.
    """
    def check_all() -> None:
        for name, call in calls.items():
            check(name, call())

    check_all()
    timings = compare(calls if flops else calls | {"copy": _copy(int(nbytes))}, repeats)
    clock_mhz = _sm_clock_mhz()
    check_all()
    least_ms = 1e3 * max(nbytes / _peak_bytes_per_s(), flops / _peak_flop_per_s(dtype))
    rows = []
    for name, timing in timings.items():
        if timing.ms < least_ms:
            raise ValueError(f"{name} took {timing.ms:.4f} ms, but this GPU needs {least_ms:.4f} ms for {nbytes:.3g} "
                             f"bytes and {flops:.3g} operations: look for work that is not done, or data in a cache.")
        row = {"version": name, **dataclasses.asdict(timing), "of_library": timings[library].ms / timing.ms,
               "clock_mhz": clock_mhz}
        if flops:
            row["tflop_per_s"] = flops / timing.ms / 1e9
        else:
            row |= {"gb_per_s": nbytes / timing.ms / 1e6, "of_copy": timings["copy"].ms / timing.ms}
        rows.append(row)
    return rows


def _copy(nbytes: int) -> Callable[[], object]:
    torch = _torch_with_gpu()
    source, target = (torch.zeros(nbytes // 2, dtype=torch.uint8, device="cuda") for _ in range(2))
    return lambda: target.copy_(source)


def _sm_clock_mhz() -> int:
    query = ["nvidia-smi", "--query-gpu=clocks.sm", "--format=csv,noheader,nounits"]
    return int(subprocess.run(query, capture_output=True, text=True, check=True).stdout.splitlines()[0])


def _peak_bytes_per_s() -> float:
    gpu = _torch_with_gpu().cuda.get_device_properties()
    return 2 * 1e3 * gpu.memory_clock_rate * gpu.memory_bus_width / 8  # both edges of the clock


def _peak_flop_per_s(dtype: str) -> float:
    """Infinite where this table does not know the GPU."""
    gpu = _torch_with_gpu().cuda.get_device_properties()
    a_clock = OPERATIONS_A_CLOCK.get((gpu.major, gpu.minor), {}).get(dtype, float("inf"))
    return a_clock * gpu.multi_processor_count * 1e3 * gpu.clock_rate


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
