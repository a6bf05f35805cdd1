"""custom_ops: the operators of the book as an installed package.

    import custom_ops
    custom_ops.vector_add(a, b)

Importing it loads the library of every operator into torch, and registers fakes and gradients. A function is the
operator that is named as its folder; torch.ops.custom_ops_NAME has all operators of a folder.

Attributes:
    built_for: what the libraries were built for.
"""

import importlib
import json
from pathlib import Path

import torch

_HERE = Path(__file__).parent
built_for = json.loads((_HERE / "built_for.json").read_text())


def _misfit() -> str | None:
    """Why the torch that runs cannot load these libraries, or None."""
    here = {"torch": torch.__version__, "cuda": torch.version.cuda, "cxx11_abi": torch.compiled_with_cxx11_abi()}
    if built_for["cuda"] and (here["cuda"] or "").split(".")[0] != built_for["cuda"].split(".")[0]:
        running = f"a build for CUDA {here['cuda']}" if here["cuda"] else "a build without CUDA"
        return f"was built for CUDA {built_for['cuda']}, and torch {here['torch']} is {running}"
    if built_for["oldest_torch"]:
        oldest = tuple(built_for["oldest_torch"])
        if tuple(map(int, here["torch"].split(".")[:2])) < oldest:
            return "needs torch {}.{} or later, and this is torch {}".format(*oldest, here["torch"])
        return None
    for what, name in [("torch", "torch"), ("cxx11_abi", "_GLIBCXX_USE_CXX11_ABI =")]:
        if built_for[what] != here[what]:
            return f"was built for {name} {built_for[what]}, and this is {name} {here[what]}"
    return None


if _why := _misfit():
    raise ImportError(
        f"custom_ops {_why}. Build it again with the torch that runs: pip install --no-build-isolation ./csrc"
    )

for _library in sorted(_HERE.glob("custom_ops_*.so")):
    _namespace = _library.name.split(".")[0]
    _name = _namespace.removeprefix("custom_ops_")
    torch.ops.load_library(str(_library))
    importlib.import_module(f".ops.{_name}", __name__).register(_namespace)
    globals()[_name] = getattr(getattr(torch.ops, _namespace), _name)
