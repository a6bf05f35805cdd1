"""csrc as an installed package: for one torch, and through the stable ABI for another one too."""

import os
import platform
import re
import shutil
import subprocess
import sys
from functools import lru_cache
from pathlib import Path

import pytest
import setuptools
import torch

from cudabook import cuda

pytestmark = pytest.mark.slow
ROOT = Path(__file__).parents[1]
OPERATORS = sorted(p.parent.name for p in (ROOT / "csrc").glob("*/bindings.cpp"))
TORCH = Path(torch.__file__).parent
OTHER = "2.11.0" if not torch.__version__.startswith("2.11.") else "2.14.1"
NO_NVCC = cuda.toolchain_problem()
needs_nvcc = pytest.mark.skipif(NO_NVCC is not None, reason=f"cannot compile CUDA: {NO_NVCC}")

# What a user does with the package, on whatever it was built for.
USE = """
import sys, torch, custom_ops
device = "cuda" if custom_ops.built_for["cuda"] else "cpu"
def refusal(*arguments):
    try:
        custom_ops.vector_add(*arguments)
    except Exception as error:
        return str(error).split("Exception raised from")[0]
print(torch.__version__, custom_ops.__file__)
assert "cudabook" not in sys.modules
if device == "cuda" and not torch.cuda.is_available():
    assert "CUDA" in refusal(torch.zeros(3), torch.zeros(3))  # where the dispatcher lists what there is
    print("imported; there is no GPU to call it on")
    sys.exit()
for dtype in (torch.float32, torch.float64, torch.float16, torch.bfloat16):
    for n in (0, 1, 1003):
        a, b = (torch.randn(n, device=device).to(dtype) for _ in range(2))
        for version in (1, 2, 3):
            assert torch.equal(custom_ops.vector_add(a, b, version), a + b)
a, b = (torch.randn(6, 7, device=device, requires_grad=True) for _ in range(2))
(custom_ops.vector_add(a, b) * b).sum().backward()
assert torch.equal(a.grad, b) and torch.allclose(b.grad, a + 2 * b)
torch.library.opcheck(custom_ops.vector_add, (a, b))
compiled = torch.compile(lambda a, b: custom_ops.vector_add(a, b) * 2, backend="aot_eager", fullgraph=True)
assert torch.equal(compiled(a, b), (a + b) * 2)
c, d = a.detach(), b.detach()
assert "b has shape [2, 7], expected [6, 7], the shape of a" in refusal(c, d[:2])
assert "b has dtype Double, expected Float, the dtype of a" in refusal(c, d.double())
assert "a has strides [1, 7], expected a contiguous tensor" in refusal(c.t(), d.reshape(7, 6))
assert "a has dtype Int, expected float32" in refusal(c.int(), d.int())
assert "version is 9, expected 1, 2 or 3" in refusal(c, d, 9)
print("right")
"""


def run(*command, paths=(), **environment):
    """Run a command away from the project, with ``paths`` before the environment's own packages."""
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, paths)), **environment}
    return subprocess.run(list(map(str, command)), cwd="/", env=env, capture_output=True, text=True)


def python(code: str, *paths: Path):
    return run(sys.executable, "-c", code, paths=paths)


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """Builds a wheel by pip and installs it: (target, stable, with another torch) -> the folder it was installed in."""

    @lru_cache
    def build(target: str, stable: bool, *builder: Path) -> Path:
        folder = tmp_path_factory.mktemp(f"{target}{'-stable' * stable}")
        pip = [sys.executable, "-m", "pip", "--disable-pip-version-check"]
        settings = {"CUDABOOK_TARGET": target, "STABLE": str(int(stable)), "TORCH_CUDA_ARCH_LIST": "8.0+PTX;9.0a"}
        done = run(*pip, "wheel", "--no-build-isolation", "--no-deps", "-w", folder, ROOT / "csrc",
                   paths=[*builder, ROOT], **settings)
        assert done.returncode == 0, done.stdout + done.stderr
        done = run(*pip, "install", "--no-deps", "--target", folder, *folder.glob("*.whl"))
        assert done.returncode == 0, done.stdout + done.stderr
        return folder

    return build


@pytest.fixture(scope="module")
def other_torch(tmp_path_factory):
    """A folder with another release of torch, which finds what else it needs, CUDA too, in this environment."""
    folder = tmp_path_factory.mktemp("other_torch")
    done = run(sys.executable, "-m", "pip", "install", "--no-deps", "--no-compile", "--only-binary=:all:",
               "--target", folder, f"torch=={OTHER}")
    if done.returncode != 0:
        pytest.skip(f"pip cannot get torch {OTHER}: {done.stderr.strip().splitlines()[-1]}")
    done = python("import torch; print(torch.__version__)", folder)
    if done.returncode != 0:
        pytest.skip(f"torch {OTHER} does not import in this environment: {done.stderr.strip().splitlines()[-1]}")
    assert done.stdout.startswith(OTHER)
    yield folder
    shutil.rmtree(folder)  # a gigabyte, of which pytest would keep three


def libraries(folder: Path) -> list[Path]:
    return sorted((folder / "custom_ops").glob("custom_ops_*.so"))


def symbols(path: Path | str, *which: str) -> set[str]:
    lines = subprocess.run(["nm", "-D", *which, str(path)], capture_output=True, text=True, check=True).stdout
    return {line.split()[-1].split("@")[0] for line in lines.splitlines()}


def uses(folder: Path, *also: Path, word: str = "right") -> None:
    done = python(USE, *also, folder)
    assert done.returncode == 0 and done.stdout.splitlines()[-1].startswith(word), done.stdout + done.stderr


def test_the_package_has_every_operator_and_works(installed):
    folder = installed("emulator", False)
    assert [p.name.split(".")[0] for p in libraries(folder)] == [f"custom_ops_{name}" for name in OPERATORS]
    shipped = {p.name: p.read_bytes() for p in (folder / "custom_ops" / "ops").glob("*.py")}
    assert shipped == {p.name: p.read_bytes() for p in (ROOT / "cudabook" / "ops").glob("*.py")}
    assert not (folder / "custom_ops" / "setup.py").exists()
    called = python(f"import custom_ops; print([callable(getattr(custom_ops, n)) for n in {OPERATORS}])", folder)
    assert called.stdout.strip() == str([True] * len(OPERATORS)), called.stderr
    uses(folder)


def test_building_leaves_nothing_among_the_sources(installed):
    installed("emulator", False)
    assert not [p for p in (ROOT / "csrc").rglob("*") if p.suffix in (".so", ".o", ".egg-info") or p.name == "build"]


@pytest.mark.parametrize("stable", [False, True])
def test_a_package_needs_nothing_of_the_machine_that_built_it(installed, stable):
    for library in [*libraries(installed("emulator", stable)),
                    installed("emulator", stable) / "custom_ops" / "libcudabook_runtime.so"]:
        dynamic = subprocess.run(["readelf", "-d", str(library)], capture_output=True, text=True, check=True).stdout
        needed = re.findall(r"\(NEEDED\).*\[(.*)\]", dynamic)
        assert needed and not [name for name in needed if "/" in name]
        assert set(re.findall(r"\(R(?:UN)?PATH\).*\[(.*)\]", dynamic)) <= {"$ORIGIN"}
        code = subprocess.run(["objdump", "-d", str(library)], capture_output=True, text=True, check=True).stdout
        assert "%xmm" in code or platform.machine() != "x86_64"
        assert not re.search("%[yz]mm", code)  # AVX, which not every x86-64 processor has


@pytest.mark.parametrize("changed, words", [
    ({"torch": "2.99.0"}, r"was built for torch 2\.99\.0, and this is torch 2\..*pip install --no-build-isolation"),
    ({"cxx11_abi": False}, "was built for _GLIBCXX_USE_CXX11_ABI = False, and this is .* True"),
    ({"cuda": "1.0"}, "was built for CUDA 1.0, and torch .* is a build (for|without) CUDA"),
    ({"oldest_torch": [9, 1]}, r"needs torch 9\.1 or later, and this is torch 2\."),
])
def test_a_torch_that_does_not_fit_is_named(installed, tmp_path, changed, words):
    """A08: instead of an undefined mangled symbol."""
    shutil.copytree(installed("emulator", False) / "custom_ops", tmp_path / "custom_ops")
    stamp = tmp_path / "custom_ops" / "built_for.json"
    code = (f"import json, pathlib; p = pathlib.Path({str(stamp)!r})\n"
            f"p.write_text(json.dumps(json.loads(p.read_text()) | {changed!r})); import custom_ops")
    done = python(code, tmp_path)
    assert re.search("ImportError: custom_ops " + words, done.stderr), done.stderr


@pytest.mark.parametrize("there, arguments, words", [
    ([], ["--name"], "has no module 'torch'. .* pip install --no-build-isolation ./csrc"),
    (["torch"], ["--name"], r"has no module 'cudabook'. .*pip install -e \."),
    (["torch", "cudabook"], ["editable_wheel"], "cannot be installed with -e"),
])
def test_what_setup_py_lacks_is_one_sentence(tmp_path, there, arguments, words):
    """A18: in pip's own build environment there is setuptools and nothing else."""
    for package in ["setuptools", "_distutils_hack"]:
        (tmp_path / package).symlink_to(Path(setuptools.__file__).parents[1] / package)
    for module in ["torch", "torch/utils", "cudabook"]:
        if module.split("/")[0] in there:
            (tmp_path / module).mkdir()
            (tmp_path / module / "__init__.py").touch()
    if "torch" in there:
        (tmp_path / "torch" / "utils" / "cpp_extension.py").write_text("BuildExtension = CUDAExtension = object")
    if "cudabook" in there:
        (tmp_path / "cudabook" / "cuda.py").touch()
        (tmp_path / "cudabook" / "packaging.py").write_text("BuildExtension = CUDAExtension = object; no_cuda = None")
    done = run(sys.executable, "-S", ROOT / "csrc" / "setup.py", *arguments, paths=[tmp_path])
    assert done.returncode == 1 and re.search(words, done.stderr), done.stderr
    assert len(done.stderr.strip().splitlines()) == 1


@pytest.mark.parametrize("target", ["emulator", pytest.param("cuda", marks=needs_nvcc)])
def test_the_stable_wheel_asks_torch_for_its_c_functions_only(installed, target):
    folder = installed(target, True)
    (wheel,) = folder.glob("*.whl")
    assert wheel.name.endswith(f"-cp311-abi3-linux_{platform.machine()}.whl")
    of_torch = set().union(*(symbols(p, "--defined-only") for p in (TORCH / "lib").glob("lib*.so")))
    of_cxx = symbols(subprocess.check_output(["g++", "-print-file-name=libstdc++.so.6"], text=True).strip())
    for library in libraries(folder):
        assert library.name.endswith(".abi3.so")
        wanted = symbols(library, "--undefined-only")
        assert not [s for s in wanted if re.match("_?Py", s)]  # operators are registered, not exported to Python
        from_torch = wanted & of_torch - of_cxx
        assert from_torch and not [s for s in from_torch if not s.startswith(("aoti_torch_", "torch_"))]


def test_a_build_for_the_cpu_says_so():
    setup = [sys.executable, ROOT / "csrc" / "setup.py", "--version"]
    done = run(*setup, paths=[ROOT], CUDA_HOME="/nowhere", CUDABOOK_TARGET="")
    assert done.stdout.strip() == "0.1.0+emulator"
    assert re.search("built for the CPU, with the emulator inside: .*(no nvcc|without CUDA)", done.stderr), done.stderr
    done = run(*setup, paths=[ROOT], CUDA_HOME="/nowhere", CUDABOOK_TARGET="cuda")
    assert done.returncode == 1 and "CUDABOOK_TARGET is 'cuda', but" in done.stderr


def test_the_stable_wheel_works(installed):
    uses(installed("emulator", True))


def test_the_stable_wheel_works_with_another_torch(installed, other_torch):
    uses(installed("emulator", True), other_torch)


def test_a_stable_wheel_that_another_torch_built_works(installed, other_torch):
    folder = installed("emulator", True, other_torch)
    assert f'"torch": "{OTHER}' in (folder / "custom_ops" / "built_for.json").read_text()
    uses(folder)


def test_the_plain_package_refuses_another_torch(installed, other_torch):
    done = python("import custom_ops", other_torch, installed("emulator", False))
    sentence = f"custom_ops was built for torch {torch.__version__}, and this is torch {OTHER}"
    assert sentence in done.stderr, done.stderr


@needs_nvcc
@pytest.mark.parametrize("stable", [False, True])
def test_the_package_for_gpus_is_imported(installed, stable):
    folder = installed("cuda", stable)
    for library in libraries(folder):
        assert set(re.findall(rb"-arch (sm_\w+)", library.read_bytes())) == {b"sm_80", b"sm_90a"}
    uses(folder, word="right" if torch.cuda.is_available() else "imported")


@needs_nvcc
def test_the_stable_package_for_gpus_is_imported_by_another_torch(installed, other_torch):
    found = python("import torch; print(torch.version.cuda)", other_torch).stdout.strip()
    if found.split(".")[0] != torch.version.cuda.split(".")[0]:
        pytest.skip(f"torch {OTHER} was built for CUDA {found}, this one for {torch.version.cuda}")
    uses(installed("cuda", True), other_torch, word="right" if torch.cuda.is_available() else "imported")
