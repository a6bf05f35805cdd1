"""A learner's Python module, and how what happens in it becomes a mistake with a name and a line.

It runs in the process of the check. That keeps a learner from fooling themselves, and no more: who wants to cheat in
Python can, as the process is theirs.
"""

import contextlib
import importlib.util
import linecache
import sys
import traceback
from functools import cached_property
from pathlib import Path

from .mistake import Mistake

_JUDGES = ("torch", "torch.autograd", "torch.autograd.gradcheck", "torch.library", "torch.nn.functional")
_CHECKS = ("gradients", "mistake", "module", "package", "registered", "tasks", "values")


class Module:
    """One ``.py`` file that a lab asks for.

    Attributes:
        path: the file.
        name: the exercise.
    """

    def __init__(self, path: Path, name: str):
        self.path, self.name = path, name
        self._judges: dict = {}

    @cached_property
    def target(self) -> str:
        from .. import default_target

        return default_target()

    @property
    def device(self) -> str:
        return "cuda" if self.target == "cuda" else "cpu"

    @cached_property
    def module(self):
        """The module, imported.

        Raises:
            Mistake: it is missing, or cannot be imported, or changes what judges it.
        """
        self.text()
        self._judges = _judges()
        spec = importlib.util.spec_from_file_location(f"work_{self.path.stem}", self.path)
        module = importlib.util.module_from_spec(spec)
        with self.running("Importing the file"):
            spec.loader.exec_module(module)
        return module

    def text(self) -> str:
        """What the file holds. Raises Mistake if there is no file."""
        if not self.path.is_file():
            sentence = f"There is no {self.path.name} yet: run the lab's %%module {self.name} cell first."
            raise Mistake("no-file", sentence)
        return self.path.read_text()

    def get(self, name: str):
        """What the module defines under a name. Raises Mistake if it does not."""
        if not hasattr(self.module, name):
            raise Mistake("name-missing", f"The file defines no {name}: the lab's cell gives the name.")
        return getattr(self.module, name)

    @contextlib.contextmanager
    def running(self, what: str, known=lambda text, error: None):
        """Make a mistake of whatever stops the learner's code.

        Args:
            what: what runs, as the beginning of a sentence.
            known: (the exception's text, the exception) -> a Mistake for it, or None.
        """
        try:
            yield
        except Mistake:
            raise
        except BaseException as error:
            text = str(error).split("\nException raised from")[0].strip() or type(error).__name__
            mistake = known(text, error) or Mistake("python-error", f"{what} stops with {type(error).__name__}.", text)
            mistake.details += self._place(error)
            raise mistake from None
        finally:
            self._refuse_tampering()

    def _place(self, error: BaseException) -> list[str]:
        frames = traceback.extract_tb(error.__traceback__)
        lines = [frame.lineno for frame in frames if frame.filename == str(self.path)]
        if isinstance(error, SyntaxError) and error.filename == str(self.path):
            lines = [error.lineno]
        linecache.checkcache(str(self.path))
        return [f"{self.path.name}:{n}: {linecache.getline(str(self.path), n).strip()}" for n in lines[-1:]]

    def _refuse_tampering(self) -> None:
        now = _judges()
        for place, value in self._judges.items():
            if now.get(place) is not value:
                raise Mistake("tampered", f"The file replaces {'.'.join(place)}, by which it is judged.")


def _judges() -> dict:
    """What the checks call, by module and name."""
    modules = [*_JUDGES, *(f"{__package__}.{name}" for name in _CHECKS)]
    found = {}
    for name in modules:
        for key, value in vars(sys.modules[name]).items() if name in sys.modules else ():
            if callable(value):
                found[name, key] = value
    return found
