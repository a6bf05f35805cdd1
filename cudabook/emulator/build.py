"""Compiles CUDA sources for the emulator.

Every object file is kept under a name that is a digest of all that it was made from. So nothing is ever stale, two
processes can build at once, and an edit compiles only what it touched.
"""

import os
import re
import shutil
import subprocess
import sysconfig
import threading
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

from .. import cache, compiler
from ..errors import BuildError
from .text import local_includes
from .translate import TranslationError, translate_binding, translated_tree

HERE = Path(__file__).parent
INCLUDE = HERE / "include"
RUNTIME = HERE / "runtime"

# -g1 keeps line numbers; addr2line (binutils 2.40) takes a header's for those of the file that includes it in DWARF 5.
# Without semantic interposition, functions are inlined in a shared library too.
_COMMON = ["-fPIC", "-fno-semantic-interposition", "-g1", "-gdwarf-4", "-fno-gnu-unique"]
# Kernels: optimised for this machine; initial-exec makes threadIdx one memory access.
# The macros are what nvcc defines; a binding must not see them, or torch's headers would ask for CUDA's libraries.
_NVCC_MACROS = ["__CUDACC__", "__NVCC__", "__CUDACC_VER_MAJOR__=13", "__CUDACC_VER_MINOR__=0", "__CUDA_ARCH__=900"]
KERNEL_FLAGS = ["-std=c++17", *_COMMON, "-O2", "-march=native", "-ftls-model=initial-exec"]  # C++17 is nvcc's default
KERNEL_FLAGS += ["-fno-strict-aliasing"]  # eight halfs are moved as a float4: nvcc's optimiser allows it too
KERNEL_FLAGS += [f"-D{macro}" for macro in _NVCC_MACROS]
# Watched kernels: every load and store calls the runtime. -fno-tree-sra keeps a float4 one access; -fno-reorder-blocks
# keeps the code in the source's order, by which lanes that went apart meet again.
# memcpy and its kin stay calls, which the linker turns into calls of the runtime's own.
_MEMORY = ("memcpy", "memmove", "memset")
_WATCH_LINK = [f"-Wl,--wrap={name}" for name in _MEMORY]
_WATCH = ["-O1", "-fno-tree-sra", "-fno-reorder-blocks", "-fsanitize=thread", "--param=tsan-distinguish-volatile=1"]
_WATCH += ["-fsanitize-coverage=trace-pc", "-fsanitize=bounds"]  # basic blocks; local arrays
_WATCH += [f"-fno-builtin-{name}" for name in _MEMORY]
WATCH_FLAGS = [*(f for f in KERNEL_FLAGS if f != "-O2"), *_WATCH]
BINDING_FLAGS = ["-std=c++20", *_COMMON, "-O1"]


@lru_cache(maxsize=1)
def cxx() -> str:
    """The C++ compiler: ``$CXX`` or g++."""
    return os.environ.get("CXX") or "g++"


@lru_cache(maxsize=1)
def _compiler_identity() -> str:
    try:
        version = subprocess.run([cxx(), "--version"], capture_output=True, text=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError):
        raise BuildError(
            f"The C++ compiler '{cxx()}' does not run. The emulator needs g++ 11 or later (Debian, Ubuntu: "
            "apt-get install g++), or CXX set to one."
        ) from None
    # -march=native: what was built on one processor must not be used on another.
    cpu = {line for line in Path("/proc/cpuinfo").read_text().splitlines() if line.startswith(("flags", "Features"))}
    return version + "".join(sorted(cpu))


@lru_cache(maxsize=1)
def _headers_digest() -> str:
    return cache.digest_of_files(p for p in INCLUDE.rglob("*") if p.is_file())


def _object(path: Path, texts: dict[Path, str], flags: list[str], what: str, *key: object,
            folders: Sequence[Path] = ()):
    """Plan one object file: its path, and the command that makes it, or None if it is there.

    ``texts`` holds what is compiled in place of ``path`` and of the files beside it; their places relative to each
    other are kept, so that ``#include "../x.h"`` means what it says. Includes are also looked for in ``folders``.
    """
    root = os.path.commonpath([*(p.parent for p in texts), *folders])
    relative = {os.path.relpath(p, root): text for p, text in texts.items()}
    name = cache.digest(_compiler_identity(), _headers_digest(), sorted(relative.items()), str(path), flags, *folders,
                        *key)
    out = cache.folder() / "emulator" / "objects" / f"{name}.o"
    if out.exists():
        return out, None
    folder = cache.folder() / "emulator" / "sources" / name
    for place, text in relative.items():
        (folder / place).parent.mkdir(parents=True, exist_ok=True)
        (folder / place).write_text(text)
    out.parent.mkdir(parents=True, exist_ok=True)
    partial = out.with_suffix(f".{os.getpid()}-{threading.get_ident()}.tmp")
    source = folder / os.path.relpath(path, root)
    names = f"-ffile-prefix-map={folder}={root.rstrip('/')}"  # reports shall name the user's files
    places = [INCLUDE, *(folder / os.path.relpath(f, root) for f in folders)]
    command = [cxx(), *flags, names, *(f"-I{p}" for p in places), "-x", "c++", "-c", str(source), "-o", str(partial)]
    return out, (command, what, partial)


def _make(plans) -> list[Path]:
    todo = [(out, plan) for out, plan in plans if plan]
    try:
        compiler.run_all([(command, what) for _, (command, what, _) in todo])
    except BuildError as error:
        raise BuildError(str(error) + _what_is_missing(str(error))) from None
    for out, (_, _, partial) in todo:
        compiler.replace_atomically(partial, out)
    return [out for out, _ in plans]


_UNKNOWN_NAME = re.compile(
    r"error: .(cuda[A-Z]\w*|__\w+|(?:tex|surf)[123]D\w*|cub|thrust|curand\w*). (?:was not|has not|does not)")
_UNKNOWN_FRAGMENT = re.compile(r"error: .*?\b(fragment<.*>).* incomplete type")
_UNKNOWN_HEADER = re.compile(r"fatal error: (\S+): No such file")


def _what_is_missing(error: str) -> str:
    """A sentence for what CUDA has and the emulator has not, where that is why a kernel does not compile."""
    if name := _UNKNOWN_NAME.search(error):
        return f"\nThe emulator does not have {name[1]}: run this file on a GPU, or do without it here."
    if fragment := _UNKNOWN_FRAGMENT.search(error):
        wanted = re.sub(r"(?:nvcuda::)?wmma::", "", fragment[1])
        return (f"\nThe emulator does not have a wmma {wanted}: it has 16x16x16, 32x8x16 and 8x32x16 of half and "
                "bfloat16 and 16x16x8 of tf32. Take one of these, or run this file on a GPU.")
    if header := _UNKNOWN_HEADER.search(error):
        return (f"\nNeither the emulator nor this machine has the header {header[1]}. If it is CUDA's, run this file "
                "on a GPU.")
    return ""


def _kernel_plan(path: Path, flags: list[str], folders: Sequence[Path] = ()):
    try:
        tree = translated_tree(path, folders)
    except TranslationError as error:
        raise BuildError(str(error)) from None
    flags = [*flags, "-include", "cuda_runtime.h"]  # as nvcc does
    return _object(path, tree, flags, f"compiling {path.name} for the emulator", folders=folders)


def _torch_includes() -> list[str]:
    return [flag for p in compiler.cpp_extension().include_paths() for flag in ("-isystem", p)]


def _torch_library_paths(kept: bool = True) -> list[str]:
    """Where torch's libraries are: for the linker, and with ``kept`` written into the library too."""
    paths = compiler.cpp_extension().library_paths()
    return [flag for p in paths for flag in (f"-L{p}", *([f"-Wl,-rpath,{p}"] if kept else []))]


def _binding_plan(path: Path, name: str, *more_flags: str):
    import torch

    source = path.read_text()
    headers = {p: p.read_text() for n in local_includes(source) if (p := path.parent / n).is_file()}
    includes = [*_torch_includes(), "-isystem", sysconfig.get_paths()["include"]]
    flags = [*BINDING_FLAGS, f"-DTORCH_EXTENSION_NAME={name}", *more_flags, *includes]
    texts = {path: translate_binding(source, str(path)), **headers}
    return _object(path, texts, flags, f"compiling {path.name}", torch.__version__)


def runtime_library(*link_flags: str) -> Path:
    """Build the emulator's runtime, shared by everything that is loaded, and return its path."""
    sources = sorted(RUNTIME.glob("*.cpp"))
    headers = {p: p.read_text() for p in RUNTIME.glob("*.h")}
    flags = ["-std=c++20", *_COMMON, "-O2", "-pthread"]
    objects = _make([_object(p, {p: p.read_text(), **headers}, flags, f"compiling {p.name}") for p in sources])
    return _link(objects, "runtime", ["-pthread", "-ldl", *link_flags])


def _link(objects: list[Path], name: str, flags: list[str]) -> Path:
    out = cache.folder() / "emulator" / "libraries" / f"{name}-{cache.digest(*objects, flags)}.so"
    if not out.exists():
        out.parent.mkdir(parents=True, exist_ok=True)
        partial = out.with_suffix(f".{os.getpid()}-{threading.get_ident()}.tmp")
        # -Bsymbolic: a library's own cudaMalloc or kernel is never mistaken for another library's.
        command = [cxx(), "-shared", "-Wl,-Bsymbolic", "-Wl,-z,defs", "-o", str(partial), *map(str, objects), *flags]
        compiler.run(command, f"linking {name}")
        compiler.replace_atomically(partial, out)
    return out


def _against(library: Path, watched: bool = False) -> list[str]:
    return [str(library), f"-Wl,-rpath,{library.parent}", *(_WATCH_LINK if watched else [])]


def _namespace_plan(namespace: str):
    definition = f'extern "C" const char cudabook_namespace[] = "{namespace}";\n'
    path = Path("/namespace.cpp")
    return _object(path, {path: definition}, ["-fPIC"], "naming the operators")


def build_operator(name: str, binding: Path, kernels: list[Path], watched: bool = False) -> tuple[Path, str]:
    """Build an operator: its binding and its kernels.

    Args:
        name: the operator's name, which is also its Python module's where the binding is a pybind11 module.
        binding: the C++ file with the binding.
        kernels: the ``.cu`` files.
        watched: whether the kernels report every load and store to the runtime.

    Returns:
        The shared library, and the namespace under which it registers its operators.
    """
    flags = WATCH_FLAGS if watched else KERNEL_FLAGS
    plans = [_binding_plan(binding, name), *(_kernel_plan(k, flags) for k in kernels)]
    objects = _make(plans)
    namespace = f"{name}_emulator_{cache.digest(*objects)}"
    objects += _make([_namespace_plan(namespace)])
    torch_flags = [*_torch_library_paths(), "-lc10", "-ltorch_cpu", "-ltorch"]
    if "PYBIND11_MODULE" in binding.read_text():
        torch_flags = [*torch_flags, "-ltorch_python", "-Wl,-z,undefs"]  # Python itself stays undefined
    return _link(objects, namespace, [*torch_flags, *_against(runtime_library(), watched)]), namespace


def build_packaged(out: Path, namespace: str, binding: Path, kernels: list[Path], flags: list[str]) -> None:
    """Build an operator as a file of a package, and put the runtime beside it.

    The two need nothing of this machine: neither its processor, nor the place of the cache or of torch.

    Args:
        out: where the library goes.
        namespace: the operators will be ``torch.ops.<namespace>.*``.
        binding: the C++ file with the binding; in ``bindings_stable.cpp`` it is written for the stable ABI.
        kernels: the ``.cu`` files.
        flags: more flags for the binding.
    """
    portable = [f for f in KERNEL_FLAGS if f != "-march=native"]
    plans = [_binding_plan(binding, namespace, *flags), *(_kernel_plan(k, portable) for k in kernels)]
    if binding.name == "bindings_stable.cpp":
        shim = HERE / "stable_shim.cpp"
        plans.append(_object(shim, {shim: shim.read_text()}, [*BINDING_FLAGS, *flags, *_torch_includes()], "the shim"))
    else:
        plans.append(_namespace_plan(namespace))
    runtime = runtime_library("-Wl,-soname,libcudabook_runtime.so")
    torch_flags = [*_torch_library_paths(kept=False), "-lc10", "-ltorch_cpu"]
    library = _link(_make(plans), namespace, [*torch_flags, str(runtime), "-Wl,-rpath,$ORIGIN"])
    out.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy(library, out)
    shutil.copy(runtime, out.with_name("libcudabook_runtime.so"))


def torch_memory_library() -> Path:
    """Build the allocator that CPU tensors come from while kernels are sanitized."""
    import torch

    source = HERE / "torch_memory.cpp"
    texts = {p: p.read_text() for p in (source, RUNTIME / "regions.h")}
    plan = _object(source, texts, [*BINDING_FLAGS, *_torch_includes()], f"compiling {source.name}", torch.__version__)
    return _link(_make([plan]), "torch_memory", [*_torch_library_paths(), "-lc10", *_against(runtime_library())])


def build_file(path: Path, watched: bool = False, folders: Sequence[Path] = ()) -> Path:
    """Build a single ``.cu`` file with ``extern "C"`` functions into a shared library.

    Args:
        path: the file.
        watched: whether the kernels report every load and store to the runtime.
        folders: where includes are looked for beside the file's own folder.
    """
    glue = HERE / "last_error.cpp"
    plan = _object(glue, {glue: glue.read_text()}, KERNEL_FLAGS, "compiling the error check")
    objects = _make([_kernel_plan(path, WATCH_FLAGS if watched else KERNEL_FLAGS, folders), plan])
    return _link(objects, path.stem, _against(runtime_library(), watched))
