"""Finding what a kernel must not do, on the emulator: accesses out of bounds, unwritten values, races, bad barriers."""

import dataclasses
import functools
import json
import os
import re
import textwrap
from dataclasses import dataclass, field

from . import watch
from .errors import CudaError


@dataclass(frozen=True)
class Report:
    """One finding.

    Attributes:
        tool: 'memcheck', 'initcheck', 'racecheck' or 'synccheck', as compute-sanitizer's tools are called.
        kind: what it is, such as 'store out of bounds' or 'read after write'.
        why: a sentence.
        file, line: where the access (of a race: the later one) or the barrier stands.
        other_file, other_line: of a race, the earlier access; of a barrier, where else threads wait; else '' and 0.
        block, thread: who did it, as linear numbers; ``other_block`` and ``other_thread``: the other of a race.
        space: 'global', 'shared', 'local' or 'host' (memory that the host used too early); '' for barriers.
        name, index: the tensor and its element, or the shared variable and the byte in it.
        count: how many accesses were like this one.
    """

    tool: str
    kind: str
    why: str
    file: str
    line: int
    other_file: str
    other_line: int
    block: int
    thread: int
    other_block: int
    other_thread: int
    space: str
    name: str
    index: int
    count: int

    def __str__(self) -> str:
        times = f" ({self.count} times)" if self.count > 1 else ""
        text = f"{self.tool}: {self.kind}{times}\n  {_short(self.file)}:{self.line}"
        by_host = self.space == "host"
        if self.space:
            text += " by the host" if by_host else f" by thread {self.thread} of block {self.block}"
        if self.other_line:
            text += f"\n  {_short(self.other_file)}:{self.other_line}"
            if self.space and not by_host:
                text += f" by thread {self.other_thread} of block {self.other_block}"
        return "\n".join([text, *textwrap.wrap(self.why, 78, initial_indent="  ", subsequent_indent="  ")])


def _short(file: str) -> str:
    """A path as a reader sees it: relative to where Python runs, if it lies there."""
    relative = os.path.relpath(file) if file else ""
    return relative if not relative.startswith("..") else file


@dataclass
class Reports:
    """The findings of a ``with cudabook.sanitize()`` block."""

    reports: list[Report] = field(default_factory=list)

    def __iter__(self):
        return iter(self.reports)

    def __len__(self) -> int:
        return len(self.reports)

    def __str__(self) -> str:
        return "\n".join(map(str, self.reports)) or "no findings"

    def json(self) -> str:
        """The findings as a JSON list of objects with the fields of :class:`Report`."""
        return json.dumps([dataclasses.asdict(r) for r in self.reports], indent=1)


class sanitize:
    """Watch for faults: ``with cudabook.sanitize() as found: op.vector_add(a, b)``, then ``print(found)``.

    A launch that had to be stopped is a finding; the error that it raises ends the block and is not passed on. As with
    :class:`cudabook.profile`, functions are looked up inside the block, and only the emulator can watch.
    """

    def __enter__(self) -> Reports:
        watch.begin("sanitizing")
        _guard_tensors(True)
        watch.runtime().cudabook_sanitize_begin()
        self._reports = Reports()
        return self._reports

    def __exit__(self, kind, error, traceback) -> bool:
        watch.end()
        raw = json.loads(watch.runtime().cudabook_sanitize_end().decode())
        _guard_tensors(False)
        self._reports.reports = _reports(raw)
        stopped = isinstance(error, CudaError) or (isinstance(error, RuntimeError) and "CUDA error" in str(error))
        return stopped and bool(self._reports.reports)


@functools.lru_cache(maxsize=1)
def _tensor_guard():
    import ctypes

    from .emulator.build import torch_memory_library

    return ctypes.CDLL(str(torch_memory_library()))


def _guard_tensors(on: bool) -> None:
    """Let new CPU tensors have unused memory around them, filled with a value that says "not written"."""
    _tensor_guard().cudabook_guard_tensors(int(on))


def _reports(raw: list[dict]) -> list[Report]:
    places = watch.source_lines({tuple(p) for r in raw for p in (r["at"], r["other_at"]) if p})
    reports = []
    for r in raw:
        at, other = r.pop("at"), r.pop("other_at")
        file, line = places[tuple(at)] if at else ("", 0)
        other_file, other_line = places[tuple(other)] if other else ("", 0)
        if not at:  # a barrier or a machine fault: the sentence names the lines
            named = re.findall(r"(/[^\s:]+):(\d+)", r["why"].split(", while ")[0])
            file, line = (named[0][0], int(named[0][1])) if named else ("", 0)
            other_file, other_line = (named[1][0], int(named[1][1])) if len(named) > 1 else ("", 0)
        r["why"] = re.sub(r"/[^\s:]*/([^/\s:]+:\d+)", r"\1", r["why"])
        reports.append(Report(file=file, line=line, other_file=other_file, other_line=other_line, **r))
    return reports
