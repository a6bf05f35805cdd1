"""The book's own Sphinx extension.

1. A page is executed again when the sources that it runs change. jupyter-cache keys a page on its code cells and
   kernelspec alone, so a digest of those sources is written into the kernelspec as the page is read.
2. Each page with code offers its executed notebook as an .ipynb file, with no launch service configured.
3. sphinx_thebe, which Jupyter Book always loads and which puts a foreign address into every page, is taken out.
4. Pages are executed without progress lines, which would depend on what is in the cache of built kernels.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
import shutil
import subprocess
from importlib.metadata import version
from pathlib import Path

import nbformat
import yaml
from jupyter_cache import get_cache

KERNELSPEC = re.compile(r"^kernelspec:[ ]*\n(?:[ ]+.*\n)+", re.MULTILINE)
FRONT_MATTER = re.compile(r"\A---\n.*?^---$", re.MULTILINE | re.DOTALL)
PACKAGE_SOURCES = {".py", ".h", ".cpp"}
LAB_SOURCES = {"checking", "lab.py", "make_labs.py", "__main__.py"}  # no page runs these


def operators_used(text: str, csrc: Path) -> set[str]:
    """The folders of csrc that a page names: "NAME" in quotes, csrc/NAME, ops.NAME or `ops import NAME`."""
    names = {folder.name for folder in csrc.iterdir() if folder.is_dir()}
    return {
        name
        for name in names
        if re.search(rf"""["']{name}["']|\bcsrc/{name}\b|\bops(?:\.|[ ]import[ ]){name}\b""", text)
    }


def source_files(text: str, root: Path) -> list[Path]:
    """The files that the results of a page depend on, besides the page itself."""
    csrc = root / "csrc"
    package = root / "cudabook"
    found = [path for path in package.rglob("*") if path.suffix in PACKAGE_SOURCES]
    found = [path for path in found if path.relative_to(package).parts[0] not in LAB_SOURCES]
    found += [path for path in (root / "records").rglob("*") if path.is_file()]
    if re.search(r"\bimport class_b\b", text):  # the page runs the public problems on every operator
        found += [path for path in (*(root / "tests").glob("class_b*"), *csrc.rglob("*")) if path.is_file()]
    used = operators_used(text, csrc)
    for name in used:
        found += [path for path in (csrc / name).rglob("*") if path.is_file()]
    if used:
        found += [path for path in csrc.iterdir() if path.is_file()]
    found += [path for path in (root / "benchmarks").glob("*.py") if f'benchmark("{path.stem}")' in text]
    found += [path for path in (root / "chapters" / "cu").glob("*") if path.name in text]
    if re.search(r"\bfeatures\.\w+\(", text):  # the page runs the tests of CUDA's features
        tests = root / "tests"
        found += [path for path in tests.glob("test_*.py") if "pytest.mark.feature(" in path.read_text()]
        found += [tests / "conftest.py", *(tests / "cu").glob("*.cu"), *(tests / "refused").glob("*.cu")]
    return sorted(path for path in found if "__pycache__" not in path.parts)


def machine() -> str:
    """What a page runs on: torch, the GPUs, the compiler settings. A change of these executes every page again."""
    gpus = ""
    if shutil.which("nvidia-smi"):
        gpus = subprocess.run(["nvidia-smi", "-L"], capture_output=True, text=True).stdout
    settings = [os.environ.get(name) for name in ("CUDABOOK_TARGET", "CUDA_HOME", "TORCH_CUDA_ARCH_LIST", "CXX")]
    return json.dumps([version("torch"), gpus, shutil.which("nvcc"), settings])


def page_digest(text: str, root: Path, machine: str) -> str:
    """A digest of everything that can change the outputs of a page without changing its code cells."""
    digest = hashlib.sha256(machine.encode())
    for path in source_files(text, root):
        digest.update(f"\0{path.relative_to(root)}\0".encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def add_to_kernelspec(text: str, digest: str) -> str:
    """Adds the digest to the kernelspec in a page's front matter. Line numbers stay as they are."""
    front = FRONT_MATTER.match(text)
    block = front and KERNELSPEC.search(front[0])
    if not block:
        return text
    spec = yaml.safe_load(block[0])["kernelspec"] | {"sources": digest}
    line = "kernelspec: " + json.dumps(spec) + "\n" * block[0].count("\n")
    return text[: block.start()] + line + text[block.end() :]


def read_page(app, docname: str, content: list[str]) -> None:
    """On source-read: puts the digest into the page and remembers it for the next build."""
    digest = page_digest(content[0], Path(app.srcdir), app.env.bookext_machine)
    app.env.bookext_digests[docname] = digest
    content[0] = add_to_kernelspec(content[0], digest)


def outdated_pages(app, env, added: set[str], changed: set[str], removed: set[str]) -> list[str]:
    """On env-get-outdated: the pages whose digest is not that of the last build."""
    env.bookext_machine = machine()
    before = getattr(env, "bookext_digests", {})
    env.bookext_digests = {name: before[name] for name in before if name in env.found_docs}
    return [
        name
        for name in env.found_docs - added - changed
        if page_digest(Path(env.doc2path(name)).read_text(), Path(app.srcdir), env.bookext_machine) != before.get(name)
    ]


def offer_notebook(app, pagename: str, templatename: str, context: dict, doctree) -> None:
    """On html-page-context: writes the executed notebook beside the page's source, where the theme links it.

    myst-nb leaves the outputs out of its own copy when they come from the cache, so they are taken from there.
    """
    path = Path(app.outdir).parent / "jupyter_execute" / f"{pagename}.ipynb"
    if doctree is None or not path.exists():
        return
    notebook = nbformat.read(path, as_version=4)
    with contextlib.suppress(KeyError):  # a lab is not executed, and so not in the cache
        _, notebook = get_cache(app.env.mystnb_config.execution_cache_path).merge_match_into_notebook(notebook)
    download = Path(app.outdir) / "_sources" / f"{pagename}.ipynb"
    download.parent.mkdir(parents=True, exist_ok=True)
    nbformat.write(notebook, download)
    context["ipynb_source"] = f"{pagename}.ipynb"


def remove_thebe(app) -> None:
    """On builder-inited: disconnects every listener of sphinx_thebe."""
    for listeners in app.events.listeners.values():
        for listener in list(listeners):
            if listener.handler.__module__ == "sphinx_thebe":
                app.disconnect(listener.id)


def setup(app) -> dict:
    os.environ["CUDABOOK_PROGRESS"] = "0"
    app.connect("builder-inited", remove_thebe, priority=0)
    app.connect("env-get-outdated", outdated_pages)
    app.connect("source-read", read_page)
    app.connect("html-page-context", offer_notebook, priority=400)
    return {"parallel_read_safe": False, "parallel_write_safe": True}
