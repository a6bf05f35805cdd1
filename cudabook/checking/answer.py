"""A learner's answer: one ``.cu`` file, built when it is first needed."""

import ctypes
import re
from functools import cached_property, lru_cache
from pathlib import Path

import torch

from ..errors import BuildError
from .mistake import Mistake
from .tasks import Task


class Answer:
    """One ``.cu`` file with the functions that a lab asks for.

    Attributes:
        path: the file.
        name: the exercise.
        declarations: each function that is asked for, ``extern "C"``, and its parameters in C++.
        task: what they compute.
        launches: how many launches the lab gives.
    """

    def __init__(self, path: Path, name: str, declarations: dict[str, str], task: Task, launches: int = 0):
        self.path, self.name, self.declarations, self.task, self.launches = path, name, declarations, task, launches
        self.cache: dict = {}  # what a check may keep for the next one

    @cached_property
    def functions(self):
        """The file built for the target on which it is checked.

        Raises:
            Mistake: it does not compile, or a function is missing or has other parameters.
        """
        return self._build(None)

    @cached_property
    def emulated(self):
        """The file built for the emulator, which shows what a GPU does not: the launch and each stray access."""
        return self.functions if self.functions.target == "emulator" else self._build("emulator")

    @property
    def target(self) -> str:
        return self.functions.target

    def buffers(self, function: str) -> tuple[torch.dtype, list[str], list[str]]:
        """What a function takes: the dtype of its tensors, the names of the inputs (const), those of the outputs."""
        pointers = [p.split() for p in self.declarations[function].split(",") if "*" in p]
        dtype = {"float*": torch.float32, "double*": torch.float64}[pointers[0][-2]]
        return dtype, [p[-1] for p in pointers if "const" in p], [p[-1] for p in pointers if "const" not in p]

    def numbers(self, function: str) -> list[str]:
        """The names of what a function takes after its tensors: the sizes, then what else the lab gives it."""
        others = [p.split()[-1] for p in self.declarations[function].split(",") if "*" not in p]
        return [name for name in others if name != "stream"]

    def _build(self, target: str | None):
        import cudabook
        from cudabook.functions import signatures

        if not self.path.is_file():
            raise Mistake(
                "no-file", f"There is no {self.path.name} yet: run the lab's %%kernel {self.name} cell first."
            )
        lacking = "The file has no launcher {}. It needs: extern \"C\" void {}({})."
        try:
            built = cudabook.load(self.path, target)
        except BuildError as error:
            text = str(error)
            if "no function that Python can call" in text:
                name, declaration = next(iter(self.declarations.items()))
                raise Mistake("no-launcher", lacking.format("yet", name, declaration)) from None
            raise Mistake("build-error", "It does not compile. The first error:", text) from None
        found = signatures(self.path.read_text())
        for name, declaration in self.declarations.items():
            if name not in found:
                raise Mistake("no-launcher", lacking.format(f"called {name}", name, declaration))
            wanted = signatures(f'extern "C" void {name}({declaration}) {{}}')[name]
            if [(p.kind, p.type) for p in found[name]] != [(p.kind, p.type) for p in wanted]:
                given = re.search(rf"\b{name}\s*\(([^)]*)\)\s*\{{", self.path.read_text())
                raise Mistake(
                    "signature",
                    f"The parameters of {name} are not those that the lab gives.",
                    f"found:    {' '.join(given[1].split()) if given else found[name]}",
                    f"expected: {declaration}",
                )
        return built


@lru_cache(maxsize=1)
def _runtime() -> Path:
    from cudabook.emulator.build import runtime_library

    return runtime_library()


class LaunchRecord:
    """Grid and block of the emulator's last launch from this thread.

    The emulator's threadIdx, blockDim, … are real variables that a launch leaves as they are, and the thread that
    launches runs blocks itself: cleared before a call, they tell afterwards what the call launched.
    """

    def __init__(self):
        runtime = ctypes.CDLL(str(_runtime()))
        triple = ctypes.c_uint * 3
        self._grid, self._block = (triple.in_dll(runtime, f"cudabook_{name}") for name in ("gridDim", "blockDim"))

    def clear(self) -> None:
        self._grid[:] = self._block[:] = [0, 0, 0]

    def read(self) -> tuple[tuple[int, int, int], tuple[int, int, int]] | None:
        """(grid, block), or None if nothing was launched since ``clear``."""
        grid, block = tuple(self._grid), tuple(self._block)
        return (grid, block) if all(grid) else None
