"""The command ``cudabook``."""

import argparse
import sys
from pathlib import Path


def labs(args) -> int:
    from . import make_labs

    if args.check:
        found = make_labs.differences()
        print("\n".join([*found, "Run: cudabook labs"]) if found else "labs/ is what solutions/ give.")
        return 1 if found else 0
    for path in make_labs.write():
        print(f"Written: {path.relative_to(make_labs.ROOT)}")
    return 0


def check(args) -> int:
    from . import lab

    verdict = lab.check(args.name, args.file)
    verdict.print()
    for path, text in ((args.json, verdict.json), (args.junitxml, verdict.junit)):
        if path:
            path.write_text(text())
    return 0 if verdict.passed else 1


def hint(args) -> int:
    from . import lab

    print(lab.hint(args.name))
    return 0


def progress(args) -> int:
    from rich.console import Console
    from rich.table import Table

    from . import lab

    table = Table("lab", "exercise", "checks", "last check")
    for name, row in lab.progress().items():
        done, total = row.get("checks", (0, 0))
        state = "[green]passed[/]" if row.get("passed") else f"{done} of {total}" if total else "not tried"
        table.add_row(row["lab"], f"{name}: {row['title']}", state, row.get("time", "").replace("T", " "))
    Console().print(table)
    return 0


def record(args) -> int:
    from . import build, counters, features, records

    if args.features:
        print(f"Written: {records.write(features.measure())}")
        return 0
    operators = sorted(p.name for p in build.CSRC.iterdir() if (build.ROOT / "benchmarks" / f"{p.name}.py").exists())
    for name in args.name or operators:
        measured = counters.measure(name) if args.counters else records.measure(name)
        print(f"Written: {records.write(measured)}")
    return 0


def sanitize(args) -> int:
    import os
    import runpy

    os.environ["CUDABOOK_TARGET"] = "emulator"
    import cudabook

    sys.argv = [str(args.script), *args.arguments]
    with cudabook.sanitize() as found:
        runpy.run_path(str(args.script), run_name="__main__")
    print(found)
    if args.json:
        args.json.write_text(found.json())
    return 1 if len(found) else 0


def _record_arguments(parser) -> None:
    parser.add_argument("name", nargs="*", help="the operators; all that have a benchmark if none is named")
    instead = parser.add_mutually_exclusive_group()
    instead.add_argument("--counters", action="store_true", help="read hardware counters with Nsight Compute instead")
    instead.add_argument("--features", action="store_true", help="run the tests of CUDA's features on the GPU instead")


def _sanitize_arguments(parser) -> None:
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the findings as JSON")
    parser.add_argument("script", type=Path, help="a Python script that loads and calls kernels")
    parser.add_argument("arguments", nargs=argparse.REMAINDER, help="the script's own arguments")


def _check_arguments(parser) -> None:
    parser.add_argument("name", help="the exercise, such as vector_add")
    parser.add_argument("--file", type=Path, help="check this file instead of the one in work/")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the verdict as JSON")
    parser.add_argument("--junitxml", type=Path, metavar="FILE", help="write the verdict as JUnit XML")


def _labs_arguments(parser) -> None:
    parser.add_argument("--check", action="store_true", help="write nothing; fail if something would change")


# name: (what it does, function, its arguments). Each function returns the exit status.
COMMANDS = {
    "labs": ("write labs/ from solutions/", labs, _labs_arguments),
    "check": ("check your answer to an exercise", check, _check_arguments),
    "hint": ("show the next hint", hint, lambda parser: parser.add_argument("name", help="the exercise")),
    "record": (
        "measure operators on this machine's GPU and write records/",
        record,
        _record_arguments,
    ),
    "sanitize": ("run a script on the emulator and report what its kernels must not do", sanitize, _sanitize_arguments),
    "progress": ("list the exercises and how far you are", progress, lambda parser: None),
}


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="cudabook", description="Kernels That Run: the commands of the book.")
    commands = parser.add_subparsers(metavar="COMMAND", required=True)
    for name, (what, function, add_arguments) in COMMANDS.items():
        command = commands.add_parser(name, help=what, description=what[0].upper() + what[1:] + ".")
        add_arguments(command)
        command.set_defaults(run=function)
    args = parser.parse_args(arguments)
    from .checking.table import LabError
    from .errors import BuildError, CudaError, TargetError

    try:
        return args.run(args)
    except (LabError, BuildError, CudaError, TargetError) as error:
        print(f"cudabook: {error}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
