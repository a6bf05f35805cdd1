"""The emulator's counts beside Nsight Compute's, for the same calls.

``benchmarks/<name>.py`` says which calls, in ``counted(op)``: label -> function that launches one kernel.
"""

import csv
import io
import math
import os
import re
import subprocess
import sys

from . import build, cuda, records
from .errors import TargetError
from .profiling import Launch, profile

# Our name -> Nsight Compute's.
METRICS = {
    "load requests": "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum",
    "load sectors": "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
    "store requests": "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum",
    "store sectors": "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",
    "shared load wavefronts": "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",
    "shared store wavefronts": "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum",
}


# Why a count can differ from the hardware's: operator, what 'call: counter' looks like, reason. The widths of nvcc's
# accesses were read from its machine code (cuobjdump -sass).
REASONS = [
    ("matmul", r"v[6789],.*store", "nvcc 13.0 does not see that all of these 16-byte stores are aligned, and "
     "cuts every second into four"),
    ("matmul", r"v[345],.*shared load", "nvcc reads neighbours in a row of shared memory by one wide load"),
    ("matmul", r"v10,.*shared load", "wmma's own order of lanes is not documented; ours is that of mma"),
    ("matmul", r"v8,.* load|v11,.*load sectors", "not understood: where cp.async of 16 bytes takes rows of "
     "less than 128 bytes, the hardware counts more sectors and a few conflicts"),
    ("softmax", r"forward v[234],.*shared", "nvcc moves a maximum and a sum, two floats, by one access of 8 bytes"),
    ("softmax", r"forward v1,.*shared load", "nvcc reads some neighbours of the last warp's tree by one wide load"),
]


def aligned_ones(shape: tuple[int, ...], dtype, device: str):
    """Ones in memory that starts at a multiple of 256 bytes on either device, as cudaMalloc's does."""
    import torch

    n = math.prod(shape)
    whole = torch.ones(n + 256, device=device, dtype=dtype)
    start = -(whole.data_ptr() // dtype.itemsize) % (256 // dtype.itemsize)
    return whole[start : start + n].view(shape)


def of_launch(launch: Launch) -> dict[str, int]:
    """The six counters of a launch on the emulator, by the names of :data:`METRICS`."""
    return {
        "load requests": launch.total("requests", "load"),
        "load sectors": launch.total("sectors", "load"),
        "store requests": launch.total("requests", "store"),
        "store sectors": launch.total("sectors", "store"),
        "shared load wavefronts": launch.total("wavefronts", "load", "shared"),
        "shared store wavefronts": launch.total("wavefronts", "store", "shared"),
    }


def on_emulator(name: str) -> dict[str, dict[str, int]]:
    """Call -> its counters, counted on the emulator."""
    counted = {}
    operators = build.load(name, target="emulator")
    for label, call in records.benchmark(name).counted(operators).items():
        with profile() as p:
            call()
        [launch] = p.launches
        counted[label] = of_launch(launch)
    return counted


def beside(name: str) -> list[dict]:
    """What was recorded of an operator's counters, and what the emulator counts now.

    Returns:
        For each call and counter: ``call``, ``counter``, ``gpu``, ``emulator``, and ``reason``: where they differ, why,
        else ''.

    Raises:
        FileNotFoundError: nothing was recorded.
    """
    record, ours, rows = records.recall(f"{name}_counters"), on_emulator(name), []
    for row in record.rows:
        for counter in METRICS:
            gpu, emulator = row[counter], ours[row["call"]][counter]
            known = [why for operator, pattern, why in REASONS
                     if operator == name and re.search(pattern, f"{row['call']}: {counter}")]
            rows.append({"call": row["call"], "counter": counter, "gpu": gpu, "emulator": emulator,
                         "reason": (known[0] if known else "") if gpu != emulator else ""})
    return rows


def measure(name: str) -> records.Record:
    """Read the counters on the GPU at hand, with Nsight Compute.

    Raises:
        TargetError: there is no GPU, or ncu is not there or may not read counters. Its own words are in the message.
    """
    if why := cuda.problem():
        raise TargetError(f"The counters of '{name}' cannot be read: {why}.")
    labels = list(records.benchmark(name).counted(build.load(name, target="cuda")))
    command = ["ncu", "--csv", "--print-units", "base", "--clock-control", "none", "--profile-from-start", "off",
               "--metrics", ",".join(METRICS.values()), sys.executable, "-m", "cudabook.counters", name]
    try:
        done = subprocess.run(command, capture_output=True, text=True, env=os.environ | {"CUDABOOK_PROGRESS": "0"})
    except FileNotFoundError:
        raise TargetError("The program 'ncu' (Nsight Compute) was not found on PATH. Install it with CUDA.") from None
    table = done.stdout[done.stdout.find('"ID"') :]
    if done.returncode or not table.startswith('"ID"'):
        raise TargetError(f"ncu failed with status {done.returncode}:\n{(done.stdout + done.stderr)[-1500:]}")
    values: dict[int, dict[str, int]] = {}
    for row in csv.DictReader(io.StringIO(table)):
        values.setdefault(int(row["ID"]), {})[row["Metric Name"]] = int(float(row["Metric Value"].replace(",", "")))
    if len(values) != len(labels):
        raise TargetError(f"ncu saw {len(values)} kernels in {len(labels)} calls: each must launch exactly one.")
    rows = [
        {"call": label, **{ours: values[i][theirs] for ours, theirs in METRICS.items()}}
        for label, i in zip(labels, sorted(values), strict=True)
    ]
    return records.Record(f"{name}_counters", rows, records.stamp(), records.sources_digest(name), live=True)


def main() -> None:
    """What ncu runs: each call once, and only those calls profiled."""
    import torch

    name = sys.argv[1]
    calls = records.benchmark(name).counted(build.load(name, target="cuda"))
    for call in calls.values():
        call()
    torch.cuda.synchronize()
    torch.cuda.profiler.start()
    for call in calls.values():
        call()
    torch.cuda.synchronize()
    torch.cuda.profiler.stop()


if __name__ == "__main__":
    main()
