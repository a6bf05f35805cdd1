"""custom_ops: the operators of the book as an installed package.

    import custom_ops
    custom_ops.vector_add(a, b)

Importing it loads the library of every operator into torch, and registers fakes and
gradients. A function is the operator that is named as its folder;
torch.ops.custom_ops_NAME has all operators of a folder.

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
    running, wanted = torch.__version__, built_for["cuda"]
    cuda = torch.version.cuda or ""
    if wanted and cuda.split(".")[0] != wanted.split(".")[0]:
        kind = f"build for CUDA {cuda}" if cuda else "build without CUDA"
        return f"was built for CUDA {wanted}, and torch {running} is a {kind}"
    if oldest := built_for["oldest_torch"]:
        if [int(number) for number in running.split(".")[:2]] >= oldest:
            return None
        oldest = ".".join(map(str, oldest))
        return f"needs torch {oldest} or later, and this is torch {running}"
    here = {"torch": running, "cxx11_abi": torch.compiled_with_cxx11_abi()}
    names = {"torch": "torch", "cxx11_abi": "_GLIBCXX_USE_CXX11_ABI ="}
    for what, name in names.items():
        if (built := built_for[what]) != here[what]:
            return f"was built for {name} {built}, and this is {name} {here[what]}"
    return None


if _why := _misfit():
    raise ImportError(
        f"custom_ops {_why}. Build it again with the torch that runs: "
        "pip install --no-build-isolation ./csrc"
    )

for _library in sorted(_HERE.glob("custom_ops_*.so")):
    _namespace = _library.name.split(".")[0]
    _name = _namespace.removeprefix("custom_ops_")
    torch.ops.load_library(str(_library))
    importlib.import_module(f".ops.{_name}", __name__).register(_namespace)
    globals()[_name] = getattr(getattr(torch.ops, _namespace), _name)
