"""Kernels of public repositories, unmodified: do they build, are they right, does a sanitizer report them wrongly?

    python benchmarks/public_kernels.py CHECKOUTS [--target cuda] [--only DRIVER ...]

CHECKOUTS is a folder with a checkout of every repository, in ``OWNER+NAME``, at the commit that
``benchmarks/public/*.py`` names. Writes ``records/emulator/public_kernels.json``, or ``records/<gpu>/…`` for a GPU.
Rows: ``repository``, ``commit``, ``file``, ``kernel``, ``driver``, ``built``, ``right``, ``error`` (the largest, as a
part of the largest expected value), ``reports`` (of the sanitizers; the emulator's only), ``outcome`` (one of
OUTCOMES), ``note``.
"""

import argparse
import contextlib
import importlib
import json
import math
import subprocess
import sys
import tempfile
from pathlib import Path

import torch

import cudabook
from cudabook import build, records

HERE = Path(__file__).parent / "public"
sys.path.insert(0, str(HERE))
from cases import Case, Repository  # noqa: E402

OUTCOMES = ("right", "true report", "false report", "wrong", "not built")
LIMIT = 900  # seconds for all cases of a driver


def repositories() -> list[Repository]:
    """Those of which ``benchmarks/public`` has cases."""
    modules = [importlib.import_module(p.stem) for p in sorted(HERE.glob("*.py")) if p.stem != "cases"]
    return [m.REPOSITORY for m in modules]


def call(case: Case, functions) -> float:
    """Run a case, and return its error: the largest, as a part of the largest value that is expected."""
    made, wanted = case.make()
    arguments = [a.to(functions.device) if isinstance(a, torch.Tensor) else a for a in made]
    getattr(functions, case.function)(*arguments)
    error = 0.0
    for position, expected in wanted.items():
        checked = ~expected.isnan()  # what the kernel does not define is NaN
        got, expected = arguments[position].cpu().double().reshape(expected.shape)[checked], expected.double()[checked]
        off = ((got - expected).abs().max() / expected.abs().max().clamp(min=1e-30)).item()
        error = max(error, float("inf") if math.isnan(off) else off)
    return error


def judge(case: Case, functions, target: str) -> dict:
    """The row of a case whose driver has been built, from ``right`` on."""
    row = {"right": False, "error": None, "reports": [], "outcome": "wrong", "note": case.note}
    if not case.fault:  # else it may destroy what it reaches
        try:
            row["error"] = call(case, functions)
            row["right"] = row["error"] <= case.tolerance
        except cudabook.CudaError as error:
            row["note"] = str(error)
    if target == "emulator":
        with cudabook.sanitize() as found, contextlib.suppress(cudabook.CudaError):
            call(case, functions)
        row["reports"] = [f"{r.tool}: {r.kind}, {Path(r.file).name}:{r.line}" for r in found]
        if not all(case.is_blamed(r) for r in found):
            row["outcome"], row["note"] = "false report", str(found)
            return row
    if case.fault and row["reports"]:
        return row | {"outcome": "true report", "note": case.fault[1]}
    return row | {"outcome": "right" if row["right"] else "wrong"}


def run_driver(driver: str, checkouts: Path, target: str) -> list[dict]:
    """The rows of all cases of a driver, in this process."""
    rows, functions, why = [], None, ""
    try:
        functions = cudabook.load(HERE / f"{driver}.cu", target, include_paths=include_paths(checkouts))
    except cudabook.BuildError as error:
        why = str(error)
    for repository in repositories():
        for case in (c for c in repository.cases if c.driver == driver):
            about = {"repository": repository.name, "commit": repository.commit, "file": case.file,
                     "kernel": case.kernel, "driver": driver, "built": functions is not None}
            verdict = judge(case, functions, target) if functions else {
                "right": False, "error": None, "reports": [], "outcome": "not built", "note": why}
            rows.append(about | verdict)
            print(f"{verdict['outcome']:12} {repository.name} {case.kernel} (error {verdict['error']})", flush=True)
            if verdict["outcome"] in ("false report", "wrong"):
                print(verdict["note"], flush=True)
    if why:
        print(why)
    return rows


def include_paths(checkouts: Path) -> list[Path]:
    return [checkouts, checkouts / "NVIDIA+cuda-samples" / "Common", HERE / "stand_in"]


def run_apart(driver: str, checkouts: Path, target: str) -> list[dict]:
    """The same in a process of its own, which the driver's code may end."""
    with tempfile.TemporaryDirectory() as folder:
        rows = Path(folder) / "rows.json"
        done = subprocess.run([sys.executable, __file__, str(checkouts), "--target", target, "--rows", str(rows),
                               "--only", driver], timeout=LIMIT)
        if done.returncode:
            sys.exit(f"The process that ran {driver} ended with {done.returncode}: no record is written.")
        return json.loads(rows.read_text())


def stamp(target: str) -> dict[str, str]:
    if target == "cuda":
        return records.stamp()
    return records.emulator_stamp()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("checkouts", type=lambda p: Path(p).absolute())
    parser.add_argument("--target", choices=sorted(build.DEVICES), default="emulator")
    parser.add_argument("--only", nargs="+", metavar="DRIVER", help="without writing a record")
    parser.add_argument("--rows", type=Path, help="run in this process, and write the rows there")
    options = parser.parse_args()
    drivers = options.only or list(dict.fromkeys(c.driver for r in repositories() for c in r.cases))
    run = run_driver if options.rows else run_apart
    rows = [row for driver in drivers for row in run(driver, options.checkouts, options.target)]
    if options.rows:
        options.rows.write_text(json.dumps(rows))
        return
    for outcome in OUTCOMES:
        own = [r for r in rows if r["outcome"] == outcome]
        print(f"{outcome}: {len(own)} kernels of {len({r['repository'] for r in own})} repositories")
    if not options.only:
        name = "public_kernels"
        print(records.write(records.Record(name, rows, stamp(options.target), records.sources_digest(name), True)))


if __name__ == "__main__":
    main()
