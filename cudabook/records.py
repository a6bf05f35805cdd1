"""Figures measured on real GPUs: made by ``cudabook record``, kept in ``records/``, recalled where there is no GPU."""

import dataclasses
import datetime
import importlib.util
import json
import os
import platform
import subprocess
from pathlib import Path

from . import build, cache, cuda
from .emulator.text import mask, with_includes
from .errors import TargetError
from .progress import progress


@dataclasses.dataclass(frozen=True)
class Record:
    """What was measured of one operator on one GPU.

    Attributes:
        name: the operator, a folder in ``csrc``; ``<operator>_counters`` for a reading of hardware counters;
            ``planted`` for what compute-sanitizer says of the planted faults; ``public_kernels`` for kernels of
            public repositories; ``features`` for which tests of features passed.
        rows: the measurements, one dict each; ``benchmarks/<name>.py`` says which keys they have, and in what units.
        stamp: GPU, driver, torch, CUDA, date (UTC).
        sources: digest of the operator's sources that were measured.
        live: measured now, by this process.
    """

    name: str
    rows: list[dict]
    stamp: dict[str, str]
    sources: str
    live: bool = False

    @property
    def stale(self) -> bool:
        """Whether the operator's sources have changed since."""
        return self.sources != sources_digest(self.name)

    @property
    def label(self) -> str:
        """One line for the title or caption of every figure."""
        s = self.stamp
        how = "measured now" if self.live else f"recorded {s['date']}"
        changed = "; the sources have changed since" if self.stale else ""
        built = f"CUDA {s['cuda']}" if "cuda" in s else s["compiler"]
        return f"{s['gpu']}, {how}, torch {s['torch']}, {built}{changed}"

    def select(self, **wanted) -> list[dict]:
        """The rows whose keys have the given values."""
        return [r for r in self.rows if all(r.get(k) == v for k, v in wanted.items())]


def sources_digest(name: str) -> str:
    """The digest of the sources that a record is about: ``csrc/<operator>``, the planted faults, the drivers, or the
    tests of features."""
    if name == "features":
        from . import features

        return cache.digest_of_files(features.source_files())
    operator = name.removesuffix("_counters")
    elsewhere = {"planted": build.ROOT / "tests" / "planted", "public_kernels": build.ROOT / "benchmarks" / "public"}
    root = elsewhere.get(operator, build.CSRC / operator)
    files = {p for p in root.rglob("*") if p.is_file() and p.suffix != ".pyc"}
    if operator in elsewhere:
        return cache.digest_of_files(files)
    included = {file for p in files if p.suffix == ".cu" for file in with_includes(p)}  # csrc/ptx.cuh among them
    return cache.digest(*(part for p in sorted(files | included) for part in (p.name, _code(p))))


def _code(path: Path) -> str:
    """A C++ source without comments and blanks."""
    return "".join(mask(path.read_text(), keep_strings=True).split())


def folder() -> Path:
    """Where records are: ``$CUDABOOK_RECORDS``, else ``records`` in the project."""
    return Path(os.environ.get("CUDABOOK_RECORDS") or build.ROOT / "records")


def record(name: str) -> Record:
    """The figures of an operator: measured now if there is a GPU, else the newest that were recorded.

    Raises:
        FileNotFoundError: there is no GPU, and nothing was recorded.
    """
    return measure(name) if cuda.problem() is None else recall(name)


def measure(name: str) -> Record:
    """Run ``benchmarks/<name>.py`` on the GPU.

    Raises:
        TargetError: there is no GPU, or its sources cannot be compiled here.
    """
    if why := cuda.problem():
        raise TargetError(f"'{name}' cannot be measured: {why}.")
    operators = build.load(name, target="cuda")
    with progress(f"measuring {name}"):
        rows = benchmark(name).measure(operators)
    return Record(name, rows, stamp(), sources_digest(name), live=True)


def benchmark(name: str):
    """The module ``benchmarks/<name>.py``."""
    spec = importlib.util.spec_from_file_location(
        f"cudabook_benchmark_{name}", build.ROOT / "benchmarks" / f"{name}.py"
    )
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def recall(name: str) -> Record:
    """The newest record of that name.

    Raises:
        FileNotFoundError: nothing was recorded.
    """
    found = [_read(p) for p in folder().glob(f"*/{name}.json")]
    if not found:
        raise FileNotFoundError(
            f"There is no record of '{name}' in {folder()}. On a machine with a GPU, run: cudabook record"
        )
    return max(found, key=lambda r: r.stamp["date"])


def write(record: Record) -> Path:
    """Write a record to ``records/<gpu>/<name>.json`` and return the path."""
    path = folder() / record.stamp["gpu"].replace(" ", "_") / f"{record.name}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    rows = ",\n  ".join(json.dumps(r) for r in record.rows)
    head = {"name": record.name, "stamp": record.stamp, "sources": record.sources}
    path.write_text(json.dumps(head, indent=1)[:-2] + f',\n "rows": [\n  {rows}\n ]\n}}\n')
    return path


def _read(path: Path) -> Record:
    return Record(**json.loads(path.read_text()))


def stamp() -> dict[str, str]:
    """What a figure depends on beside the sources: GPU, driver, clocks, torch, CUDA, Python, date (UTC)."""
    import torch

    query = subprocess.run(
        ["nvidia-smi", "--query-gpu=driver_version,clocks.max.sm,clocks.max.mem", "--format=csv,noheader"],
        capture_output=True, text=True,
    ).stdout.splitlines()
    driver, sm_clock, memory_clock = (query[0].split(", ") if query else ["unknown"] * 3)
    return {
        "gpu": torch.cuda.get_device_name(),
        "driver": driver,
        "max_sm_clock": sm_clock,
        "max_memory_clock": memory_clock,
        "torch": torch.__version__,
        "cuda": torch.version.cuda,
        "nvcc": cuda.nvcc_version(),
        "python": platform.python_version(),
        "date": datetime.datetime.now(datetime.UTC).date().isoformat(),
    }


def emulator_stamp() -> dict[str, str]:
    """The same for what the emulator ran: its compiler, the machine's architecture, torch, Python, date (UTC)."""
    import torch

    from .emulator.build import cxx

    version = subprocess.run([cxx(), "--version"], capture_output=True, text=True, check=True).stdout
    return {
        "gpu": "emulator",
        "compiler": version.splitlines()[0],
        "machine": platform.machine(),
        "torch": torch.__version__,
        "python": platform.python_version(),
        "date": datetime.datetime.now(datetime.UTC).date().isoformat(),
    }


def banner() -> None:
    """Print on what this page ran: the target and why it was taken, torch, and the date."""
    import torch

    if build.default_target() == "cuda":
        where = f"an {torch.cuda.get_device_name()}, CUDA {torch.version.cuda}"
    else:
        why = cuda.problem() or f"CUDABOOK_TARGET={os.environ.get('CUDABOOK_TARGET')}"
        where = f"the emulator, on {len(os.sched_getaffinity(0))} CPU cores ({why})"
    print(f"This page ran on {where},\ntorch {torch.__version__}, {datetime.date.today()}.")
