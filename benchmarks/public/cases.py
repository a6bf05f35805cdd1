"""What a public kernel is called with, and what it has to give."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import torch

from cudabook import sanitizing, watch


@dataclass(frozen=True)
class Case:
    """One kernel of a public repository.

    Attributes:
        kernel: its name, or the names of those that one call launches.
        file: where it is defined, in its repository.
        driver, function: the file in ``benchmarks/public`` that launches it, and the function there.
        make: gives the arguments, and what those at some positions have to hold afterwards, in float64.
        tolerance: the most that a value may be off, as a part of the largest value that is expected.
        fault: what the kernel itself does wrong, where reports are right: the places (lines of ``file``, or
            ``name:line`` of another) of which each report names one, and a sentence.
    """

    kernel: str
    file: str
    driver: str
    function: str
    make: Callable[[], tuple[Sequence, dict[int, torch.Tensor]]]
    tolerance: float = 1e-5
    fault: tuple[tuple[int | str, ...], str] | None = None
    note: str = ""

    def is_blamed(self, report: sanitizing.Report) -> bool:
        """Whether the report names a place of the kernel's own fault."""
        places = self.fault[0] if self.fault else ()
        known = {p if isinstance(p, str) else f"{Path(self.file).name}:{p}" for p in places}
        named = {f"{Path(report.file).name}:{report.line}", f"{Path(report.other_file).name}:{report.other_line}"}
        return bool(known & named)


@dataclass(frozen=True)
class Repository:
    """A public repository: ``owner/name``, the commit that its cases are about, and the cases."""

    name: str
    commit: str
    cases: list[Case] = field(default_factory=list)


def random(*shape: int, seed: int = 0, dtype: torch.dtype = torch.float32) -> torch.Tensor:
    """Normal numbers with mean 0.1."""
    generator = torch.Generator().manual_seed(seed + sum(shape))
    return (torch.randn(*shape, generator=generator) + 0.1).to(dtype)


def integers(below: int, *shape: int, seed: int = 0) -> torch.Tensor:
    """Whole numbers from 0 to ``below`` - 1, as int32."""
    generator = torch.Generator().manual_seed(seed + sum(shape))
    return torch.randint(below, shape, generator=generator, dtype=torch.int32)


def empty(*shape: int, dtype: torch.dtype = torch.float32) -> torch.Tensor:
    """An output: unwritten memory while kernels are watched, else full of a value that no result has."""
    if watch.watching():
        return torch.empty(*shape, dtype=dtype)
    return torch.full(shape, torch.nan if dtype.is_floating_point else -12345, dtype=dtype)
