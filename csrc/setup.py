"""Builds the operators of this folder ahead of time, as the package custom_ops.

    pip install --no-build-isolation ./csrc
        for the torch that is installed
    STABLE=1 pip wheel --no-build-isolation ./csrc
        for any torch from 2.11 on: one wheel, by the stable ABI

With nvcc they are built for GPUs: those of this machine, or TORCH_CUDA_ARCH_LIST.
Without it, or where CUDABOOK_TARGET is 'emulator', they are built for the CPU with the
emulator inside, and the version of the package ends in +emulator.
"""

import atexit
import json
import os
import platform
import sys
import tempfile
from pathlib import Path

from setuptools import setup

try:
    import torch

    from cudabook import cuda
    from cudabook.packaging import BuildExtension, CUDAExtension, no_cuda
except ModuleNotFoundError as error:
    remedy = {
        "torch": "pip builds in an empty environment of its own, where torch is missing "
        "even if it is installed. Use the environment that has it: "
        "pip install --no-build-isolation ./csrc",
        "cudabook": "It finds nvcc, or stands in for a GPU. Install it from the folder "
        "above csrc: pip install -e .",
    }
    if error.name not in remedy:
        raise
    sys.exit(f"csrc/setup.py: {sys.executable} has no module '{error.name}'. "
             + remedy[error.name])
if "editable_wheel" in sys.argv:
    sys.exit("custom_ops cannot be installed with -e: compiled libraries do not follow an "
             "edit. While you edit kernels use cudabook.load; then "
             "pip install --no-build-isolation ./csrc")

HERE = Path(__file__).resolve().parent
STABLE = os.environ.get("STABLE") == "1"
BINDING = "bindings_stable.cpp" if STABLE else "bindings.cpp"
OLDEST = (2, 11)  # the stable ABI: use what this torch has, and nothing newer
FLAGS = [f"-ffile-prefix-map={HERE}/="]  # messages say vector_add/bindings.cpp
if STABLE:
    target = "-DTORCH_TARGET_VERSION=0x{:02x}{:02x}000000000000".format(*OLDEST)
    FLAGS += ["-DUSE_CUDA", target]

if os.environ.get("CUDABOOK_TARGET") == "cuda" and no_cuda:
    sys.exit(f"CUDABOOK_TARGET is 'cuda', but {no_cuda}.")
if no_cuda:
    print(f"custom_ops is built for the CPU, with the emulator inside: {no_cuda}.",
          file=sys.stderr)

operators = sorted(path.parent.name for path in HERE.glob("*/bindings.cpp"))
built = [name for name in operators if (HERE / name / BINDING).exists()]
if left_out := set(operators) - set(built):
    names = ", ".join(sorted(left_out))
    print(f"custom_ops leaves out what has no {BINDING}: {names}.", file=sys.stderr)


def extension(name: str):
    """The library of one operator, in the namespace torch.ops.custom_ops_NAME."""
    library = f"custom_ops.custom_ops_{name}"
    kernels = sorted(path.name for path in (HERE / name).glob("*.cu"))
    sources = [f"{name}/{file}" for file in (BINDING, *kernels)]
    flags = FLAGS if no_cuda else {"cxx": ["-O2", *FLAGS], "nvcc": cuda.NVCC_FLAGS}
    return CUDAExtension(
        library, sources, extra_compile_args=flags, py_limited_api=STABLE
    )


class Build(BuildExtension):
    def run(self):
        super().run()
        stamp = {  # custom_ops compares this with what runs
            "torch": torch.__version__,
            "oldest_torch": OLDEST if STABLE else None,
            "cuda": None if no_cuda else torch.version.cuda,
            "cxx11_abi": torch.compiled_with_cxx11_abi(),
            "python": platform.python_version(),
            "architectures": [] if no_cuda else cuda.architectures(),
        }
        out = Path(self.build_lib, "custom_ops", "built_for.json")
        out.write_text(json.dumps(stamp, indent=1) + "\n")


LABEL = "emulator" if no_cuda else "cu" + torch.version.cuda.replace(".", "")
WANTED = "torch==" + torch.__version__.split("+")[0]
if STABLE:
    WANTED = "torch>={}.{}".format(*OLDEST)

# Built elsewhere than in this folder, and from nothing: no library of an earlier
# build gets into a wheel.
scratch = tempfile.TemporaryDirectory(prefix="custom_ops-")
atexit.register(scratch.cleanup)

setup(
    script_name="setup.py",  # this file is no module of the package
    name="custom_ops",
    version=f"0.1.0+{LABEL}",
    description="Kernels That Run: the operators",
    license="MIT",
    python_requires=">=3.11",
    install_requires=[WANTED],
    packages=["custom_ops", "custom_ops.ops"],
    package_dir={"custom_ops": ".", "custom_ops.ops": "../cudabook/ops"},
    ext_modules=[extension(name) for name in built],
    cmdclass={"build_ext": Build},
    options={
        "build": {"build_base": scratch.name},
        "egg_info": {"egg_base": scratch.name},
        "bdist_wheel": {"py_limited_api": "cp311"} if STABLE else {},
    },
)
