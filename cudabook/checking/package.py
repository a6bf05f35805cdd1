"""Checks of a package: of its ``setup.py``, and of its ``__init__.py``."""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from functools import cached_property
from pathlib import Path

import torch
from setuptools._distutils import core

from .. import cache, make_labs
from . import registered
from .gradients import case, judge
from .mistake import Mistake
from .module import Module
from .table import LABS, ROOT

LIBRARY = "silu_mul_kernels"
SETUP, INIT = "silu_mul_setup", "silu_mul_init"
USE = """
import sys, torch, silu_mul
assert "cudabook" not in sys.modules, "it imports cudabook, which who installs it need not have"
device = "cuda" if torch.cuda.is_available() and {cuda} else "cpu"
a, b = (torch.randn(3, 5, dtype=torch.float64, device=device, requires_grad=True) for _ in "ab")
assert torch.allclose(silu_mul.silu_mul(a, b), torch.nn.functional.silu(a) * b), "wrong values"
assert torch.autograd.gradcheck(silu_mul.silu_mul, (a, b))
print("it works")
"""


def tree(folder: Path, setup: str, init: str) -> None:
    """Write the project: what the lab gives, and the two files that a learner writes."""
    (folder / "silu_mul").mkdir(parents=True)
    for file in registered.sources():
        (folder / file.name).symlink_to(file)  # so that what was compiled of them is found again
    shutil.copy(LABS / "silu_mul" / "pyproject.toml", folder)
    (folder / "setup.py").write_text(setup)
    library = make_labs.solution_cells("03_fake_and_opcheck")["silu_mul_library"]
    (folder / "silu_mul" / "library.py").write_text(library)
    (folder / "silu_mul" / "__init__.py").write_text(init)


def install(folder: Path, site: Path) -> None:
    """What a user types: pip install --no-build-isolation. Raises Mistake if it fails."""
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "install", "--no-build-isolation", "--no-deps"]
    path = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
    environment = os.environ | {"PYTHONPATH": path}
    done = subprocess.run([*pip, "--target", site, folder], capture_output=True, text=True, env=environment)
    if done.returncode:
        said = [line.strip() for line in (done.stdout + done.stderr).splitlines()]
        errors = [line for line in said if re.search(r"\w(?:Error|Exit): |: error: |^error: (?!subp|metad)", line)]
        raise Mistake("build-error", "pip cannot build the package.", *(errors[:3] or said[-3:]))


class PackageAnswer(Module):
    """A file of the package, which is built for the target of the check."""

    def __init__(self, path: Path, name: str):
        super().__init__(path, name)
        os.environ["CUDABOOK_TARGET"] = self.target


class SetupAnswer(PackageAnswer):
    """The learner's ``setup.py``, with the ``__init__.py`` of the solution."""

    @cached_property
    def source(self) -> Path:
        """The project with the learner's setup.py."""
        self._project = tempfile.TemporaryDirectory(prefix="cudabook-package-")
        folder = Path(self._project.name) / "silu_mul"
        tree(folder, self.text(), make_labs.solution_cells("04_package")[INIT])
        return folder

    def execute(self):
        """Run setup.py as far as the call of setup(), and return the setuptools.Distribution that it describes."""
        old, argv = os.getcwd(), sys.argv
        os.chdir(self.source)
        core._setup_stop_after, core._setup_distribution, sys.argv = "init", None, ["setup.py", "bdist_wheel"]
        try:
            with self.running("setup.py"):
                code = compile(self.text(), str(self.path), "exec")
                exec(code, {"__name__": "__main__", "__file__": "setup.py"})
        finally:
            os.chdir(old)
            core._setup_stop_after, sys.argv = None, argv
        if core._setup_distribution is None:
            raise Mistake("no-setup", "setup.py never calls setup().")
        return core._setup_distribution

    @cached_property
    def described(self):
        return self.execute()


# --- the checks of setup.py


def check_extension(answer: SetupAnswer) -> None:
    """One extension, with the right name, sources and build command."""
    found = answer.described.ext_modules or []
    if not found:
        raise Mistake("extension-missing", "setup.py lists no extension yet: this is what an unfinished lab says.")
    name = found[0].name
    if name != f"silu_mul.{LIBRARY}":
        raise Mistake(
            "wrong-library-name",
            f"The extension is called {name}. The name says where the library goes, the folder of the package, and how "
            f"it is called there, {LIBRARY}; and the operators' namespace is its last part.",
        )
    sources = [str(s) for s in found[0].sources]
    for source in sources:
        if os.path.isabs(source):
            raise Mistake("absolute-source", f"The source {source} is where it is on this machine only.")
        if not (answer.source / source).is_file():
            raise Mistake("source-missing", f"There is no source {source} beside setup.py.")
    if sorted(sources) != ["bindings.cpp", "silu_mul.cu"]:
        raise Mistake("source-forgotten", f"The sources are {', '.join(sources)}: binding and kernels belong together.")
    words = [*found[0].runtime_library_dirs, *map(str, found[0].extra_link_args)]
    if absolute := [word for word in words if re.search(r"^/|rpath[,=]*/", word)]:
        raise Mistake(
            "absolute-rpath",
            f"The library is told to look for others in {absolute[0]}, a folder of this machine. torch has loaded its "
            "own libraries by then: no rpath is needed, and $ORIGIN is where the library itself lies.",
        )
    if "build_ext" not in answer.described.cmdclass:
        raise Mistake("build-command-missing", "setuptools cannot build a .cu file itself: cmdclass needs build_ext.")


def check_python_side(answer: SetupAnswer) -> None:
    """The Python files of the package are shipped."""
    if "silu_mul" not in (answer.described.packages or []):
        raise Mistake(
            "python-side-missing",
            "The Python files of silu_mul are not shipped: packages does not name it. The library alone registers no "
            "fake and no gradient.",
        )


def check_torch(answer: SetupAnswer) -> None:
    """It asks for the torch that it is built with, and leaves a stamp of it."""
    needs = [r.replace(" ", "") for r in answer.described.install_requires or []]
    version = torch.__version__.split("+")[0]
    if not any(re.fullmatch(rf"torch(==|===|~=){re.escape(version)}(\+.*)?", r) for r in needs):
        raise Mistake(
            "torch-not-required",
            f"It is built with torch {version}, and install_requires is {needs}: with another torch its library would "
            "not load. Ask for this one, by ==.",
        )
    stamp = answer.source / "silu_mul" / "built_for.py"
    found = stamp.is_file() and re.fullmatch(r"TORCH = ['\"](.*)['\"]\s*", stamp.read_text())
    if not found:
        raise Mistake("stamp-missing", "setup.py leaves no silu_mul/built_for.py with one line, TORCH = '…'.")
    if found[1] != torch.__version__:
        raise Mistake("stamp-wrong", f"The stamp says torch {found[1]}, and torch.__version__ is {torch.__version__}.")


def check_isolation(answer: SetupAnswer) -> None:
    """Where torch is missing, as in pip's own build environment, it says what to type."""
    hidden = {name: sys.modules[name] for name in ("torch", "cudabook.packaging") if name in sys.modules}
    sys.modules |= dict.fromkeys(hidden)  # None: not to be imported
    said = ""
    try:
        code = compile(answer.text(), str(answer.path), "exec")
        exec(code, {"__name__": "__main__", "__file__": "setup.py"})
    except SystemExit as end:
        said = str(end.code)
    except BaseException as error:
        said = f"{type(error).__name__}: {error}"
        raise Mistake(
            "isolation-error",
            "pip builds in an empty environment of its own, without torch. There setup.py stops with a traceback that "
            "tells nobody what to do: end it by sys.exit with a sentence.",
            said,
        ) from None
    finally:
        sys.modules.update(hidden)
    if "--no-build-isolation" not in said:
        raise Mistake("isolation-unclear", "Where torch is missing, setup.py does not name --no-build-isolation.", said)


def check_installed(answer: SetupAnswer) -> None:
    """pip installs it, and it works where neither the source nor cudabook is."""
    with tempfile.TemporaryDirectory(prefix="cudabook-site-") as place:
        site = Path(place)
        try:
            install(answer.source, site)
        finally:
            shutil.rmtree(answer.source, ignore_errors=True)
        libraries = sorted((site / "silu_mul").glob(f"{LIBRARY}*.so"))
        if not libraries:
            raise Mistake("extension-missing", f"What pip installs has no library silu_mul/{LIBRARY}….so.")
        for line in subprocess.run(["readelf", "-d", *libraries], capture_output=True, text=True).stdout.splitlines():
            path = re.search(r"R(?:UN)?PATH.*\[(.*)\]", line)
            if path and any(part.startswith("/") for part in path[1].split(":")):
                raise Mistake("absolute-rpath", f"The library looks for others in {path[1]}, on this machine only.")
        script = USE.format(cuda=answer.target == "cuda")
        environment = os.environ | {"PYTHONPATH": str(site)}
        done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, cwd="/", env=environment)
        if "it works" not in done.stdout:
            lines = done.stderr.strip().splitlines()[-1:]
            raise Mistake("does-not-work", "pip installs it, but in a process of its own it does not work.", *lines)


# --- the checks of __init__.py


class InitAnswer(PackageAnswer):
    """The learner's ``__init__.py``, in the package that the solution's ``setup.py`` builds."""

    @cached_property
    def site(self) -> Path:
        """A folder with the installed package, and the learner's ``__init__.py`` in it."""
        text, cells = self.text(), make_labs.solution_cells("04_package")
        emulator = [p for p in (ROOT / "cudabook" / "emulator").rglob("*.*") if p.suffix in (".h", ".cpp", ".py")]
        files = cache.digest_of_files([*registered.sources(), *emulator])
        key = cache.digest(torch.__version__, sys.version, self.target, *cells.values(), files)
        built = cache.folder() / "labs" / f"silu_mul_site_{key}"
        with cache.lock(built):
            if not (built / "silu_mul").is_dir():
                with tempfile.TemporaryDirectory(prefix="cudabook-package-") as place:
                    tree(Path(place) / "source", cells[SETUP], cells[INIT])
                    install(Path(place) / "source", Path(place) / "site")
                    shutil.move(Path(place) / "site" / "silu_mul", built / "silu_mul")
        self._copy = tempfile.TemporaryDirectory(prefix="cudabook-site-")
        site = Path(self._copy.name)
        shutil.copytree(built / "silu_mul", site / "silu_mul")
        self.path = site / "silu_mul" / "__init__.py"
        self.path.write_text(text)
        sys.path.insert(0, str(site))
        return site

    def load(self, known):
        """Import silu_mul from the folder, from nothing."""
        assert self.site
        for name in [name for name in sys.modules if name.split(".")[0] == "silu_mul"]:
            del sys.modules[name]
        with self.running("import silu_mul", known):
            import silu_mul
        return silu_mul

    @cached_property
    def package(self):
        package = self.load(_known)
        _refuse_unfinished(package)
        return package


def _refuse_unfinished(package) -> None:
    if not hasattr(package, "silu_mul"):
        raise Mistake("unfinished", "The package has no function silu_mul yet: this is what an unfinished lab says.")


def _known(text: str, error: BaseException) -> Mistake | None:
    if isinstance(error, OSError | StopIteration | IndexError) or "values to unpack" in text:
        sentence = (
            "The library was not found. It lies beside __init__.py, wherever that is, and its name is "
            f"{LIBRARY} with an ending that depends on Python."
        )
        return Mistake("library-not-found", sentence, text)
    if "_OpNamespace" in text or "does not exist" in text or "Could not find the operator" in text:
        sentence = f"There is no such operator, or not yet: load the library first; its namespace is {LIBRARY}."
        return Mistake("no-such-operator", sentence, text)
    return None


def check_imports(answer: InitAnswer) -> None:
    """It is imported, with a function silu_mul."""
    assert answer.package


def check_stamp(answer: InitAnswer) -> None:
    """With another torch than it was built for it is refused, before the library is loaded."""
    assert answer.site
    running, torch.__version__ = torch.__version__, "1.99.0"
    try:
        package = answer.load(lambda text, error: Mistake("refused", text) if isinstance(error, ImportError) else None)
        _refuse_unfinished(package)
        said = None
    except Mistake as mistake:
        if mistake.name == "unfinished":
            raise
        said = mistake.sentence if mistake.name == "refused" else None
    finally:
        torch.__version__ = running
    if said is None:
        sentence = f"Built for torch {running}, it does not refuse torch 1.99.0 by an ImportError: compare the stamp."
        raise Mistake("stamp-ignored", sentence)
    if "1.99.0" not in said or running not in said:
        raise Mistake("stamp-unclear", "The ImportError does not name both versions, of the stamp and running.", said)
    if hasattr(getattr(torch.ops, LIBRARY), "silu_mul"):
        sentence = "The stamp is compared after the library was loaded: one that does not fit may crash on loading."
        raise Mistake("stamp-too-late", sentence)


def check_portable(answer: InitAnswer) -> None:
    """Nothing in it holds on this machine only, or needs cudabook."""
    text = answer.path.read_text()
    if re.search(r"^\s*(?:from|import)\s+cudabook", text, re.MULTILINE):
        raise Mistake("needs-cudabook", "It imports cudabook, which is needed to build the package, not to use it.")
    if found := re.search(r"[\"'](?:/|~/)\w[^\"']*[\"']", text):
        raise Mistake("absolute-path", f"{found[0]} is a path of this machine: begin with Path(__file__).parent.")


def check_works(answer: InitAnswer) -> None:
    """silu_mul is the library's operator, with its gradient and its fake."""
    given = case(answer, (3, 5), torch.float64)
    grad, a, b = given
    inputs = [a.clone().requires_grad_(), b.clone().requires_grad_()]
    with answer.running("silu_mul.silu_mul", _known), registered.Calls() as calls:
        out = answer.package.silu_mul(*inputs)
    if "silu_mul" not in calls.names:
        raise Mistake("kernel-not-called", "silu_mul.silu_mul does not call the library's operator.")
    found = torch.autograd.grad(out, inputs, grad, allow_unused=True)
    if all(x is None for x in found):
        sentence = "The operator has no gradient: the Python side, library.register, was not called for it."
        raise Mistake("not-registered", sentence)
    judge(found, *given, "as installed")
    with answer.running("torch.library.opcheck"):
        torch.library.opcheck(getattr(torch.ops, LIBRARY).silu_mul.default, inputs)
