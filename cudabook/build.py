"""``load``: from CUDA sources to callable operators, on a GPU or on the emulator."""

import functools
import importlib
import importlib.util
import os
from collections.abc import Sequence
from pathlib import Path

from . import cuda, watch
from .errors import BuildError, TargetError
from .progress import progress

ROOT = Path(__file__).resolve().parent.parent
CSRC = ROOT / "csrc"
DEVICES = {"cuda": "cuda", "emulator": "cpu"}

_loaded: dict[tuple, object] = {}


def default_target() -> str:
    """The target that ``load`` takes: ``$CUDABOOK_TARGET``, else 'cuda' if it can run here, else 'emulator'."""
    chosen = os.environ.get("CUDABOOK_TARGET")
    if chosen:
        return _known(chosen)
    return "emulator" if cuda.problem() else "cuda"


def _known(target: str) -> str:
    if target not in DEVICES:
        raise TargetError(f"The target is '{target}', expected 'cuda' or 'emulator'.")
    return target


class Operators:
    """The operators of one built library, as attributes.

    Attributes:
        name: the folder in ``csrc``.
        target: 'cuda' or 'emulator'.
        device: where its tensors live: 'cuda', or 'cpu' for the emulator.
        namespace: the operators are ``torch.ops.<namespace>.*``; it is unique to the sources and the target.
        library: the shared library.
    """

    def __init__(self, name: str, target: str, binding: str, namespace: str, library: Path, module=None):
        import torch

        self.name, self.target, self.device = name, target, DEVICES[target]
        self.binding, self.namespace, self.library = binding, namespace, library
        self._source = module or getattr(torch.ops, namespace)

    def __getattr__(self, name: str):
        if name.startswith("__"):
            raise AttributeError(name)
        if watch.watching():
            watch.refuse_gpu(self.name, self.target)
            watched = _load_operator(self.name, self.target, self.binding, watched=True)
            return watch.naming(getattr(watched._source, name))
        return getattr(self._source, name)

    def __repr__(self) -> str:
        return f"<{self.name} on {self.target}: {self.namespace}>"


def load(name: str | os.PathLike, target: str | None = None, binding: str = "torch",
         include_paths: Sequence[str | os.PathLike] = ()):
    """Build CUDA sources if need be, and load them.

    Args:
        name: the name of a folder in ``csrc`` (an operator: binding and kernels), or the path of one ``.cu`` file
            whose ``extern "C"`` functions shall be called.
        target: 'cuda' or 'emulator'; by default :func:`default_target`.
        binding: which of the operator's bindings: 'torch' (``bindings.cpp``) or 'pybind' (``bindings_pybind.cpp``).
        include_paths: of a ``.cu`` file: folders in which its includes are looked for beside its own.

    Returns:
        :class:`Operators`, or :class:`cudabook.functions.Functions` for a ``.cu`` file.

    Raises:
        TargetError: the target cannot be used here.
        BuildError: the sources do not compile; the message starts with the first error.
    """
    target = _known(target) if target else default_target()
    if target == "cuda" and (why := cuda.toolchain_problem()):
        raise TargetError(f"The target 'cuda' cannot be used: {why}. Use target='emulator'.")
    path = Path(name)
    if path.suffix == ".cu":
        return _load_file(path.absolute(), target, folders=tuple(Path(p).absolute() for p in include_paths))
    return _load_operator(str(name), target, binding)


def _load_file(path: Path, target: str, watched: bool = False, folders: tuple[Path, ...] = ()):
    from .emulator import build as emulator
    from .functions import Functions

    if not path.is_file():
        raise BuildError(f"There is no file {path}.")
    with progress(f"building {path.name} for {target}"):
        library = (cuda.build_file(path, folders) if target == "cuda" else
                   emulator.build_file(path, watched, folders))
    key = (path, library)
    if key not in _loaded:
        twin = functools.partial(_load_file, path, target, True, folders)
        _loaded[key] = Functions(path, library, target, DEVICES[target], twin)
    return _loaded[key]


def operator_sources(name: str, binding: str = "torch") -> tuple[Path, list[Path]]:
    """The binding and the kernels of an operator in ``csrc``."""
    folder = CSRC / name
    if not folder.is_dir():
        known = sorted(p.name for p in CSRC.iterdir() if p.is_dir())
        raise BuildError(f"There is no operator '{name}' in {CSRC}. There are: {', '.join(known)}.")
    files = {"torch": "bindings.cpp", "pybind": "bindings_pybind.cpp"}
    if binding not in files or not (folder / files[binding]).is_file():
        there = [b for b, f in files.items() if (folder / f).is_file()]
        raise BuildError(f"The operator '{name}' has no binding '{binding}'. It has: {', '.join(there)}.")
    return folder / files[binding], sorted(folder.glob("*.cu"))


def _load_operator(name: str, target: str, binding: str, watched: bool = False) -> Operators:
    from .emulator import build as emulator

    source, kernels = operator_sources(name, binding)
    with progress(f"building {name} for {target}"):
        if target == "cuda":
            library, namespace = cuda.build_operator(name, source, kernels)
        else:
            library, namespace = emulator.build_operator(name, source, kernels, watched)
    if library not in _loaded:
        _loaded[library] = _register(name, target, binding, library, namespace)
    return _loaded[library]


def _register(name: str, target: str, binding: str, library: Path, namespace: str) -> Operators:
    import torch

    if binding == "pybind":
        # The last part is the name that was compiled in; the whole is unique, or Python takes one module for another.
        module_name = f"{namespace}.{namespace if target == 'cuda' else name}"
        spec = importlib.util.spec_from_file_location(module_name, library)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return Operators(name, target, binding, namespace, library, module)
    torch.ops.load_library(str(library))
    python_side = importlib.import_module(f".ops.{name}", __package__)
    python_side.register(namespace)
    return Operators(name, target, binding, namespace, library)
