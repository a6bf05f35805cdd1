"""A page is executed again when the sources that it runs change, and only then (see _ext/bookext.py)."""

import importlib.util
from pathlib import Path

import nbformat
import pytest
from jupyter_cache.cache.main import JupyterCacheBase
from myst_nb.core.config import NbParserConfig
from myst_nb.core.read import create_nb_reader
from myst_parser.config.main import MdParserConfig

ROOT = Path(__file__).parents[1]
SPEC = importlib.util.spec_from_file_location("bookext", ROOT / "_ext" / "bookext.py")
bookext = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(bookext)

PAGE = """---
jupytext:
  text_representation:
    extension: .md
    format_name: myst
kernelspec:
  display_name: Python 3
  language: python
  name: python3
---

# A page

```{code-cell} python
import cudabook
ops = cudabook.load("vector_add")
```
"""


@pytest.fixture
def tree(tmp_path):
    for name in (
        "csrc/vector_add/v1.cu",
        "csrc/softmax/v1.cu",
        "csrc/common.cuh",
        "cudabook/build.py",
        "cudabook/emulator/include/cuda.h",
        "records/h200/vector_add.json",
    ):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("1")
    return tmp_path


def digest(tree, text=PAGE, machine="torch 2.14"):
    return bookext.page_digest(text, tree, machine)


@pytest.mark.parametrize(
    ("text", "used"),
    [
        ('load("vector_add")', {"vector_add"}),
        ("```{literalinclude} ../csrc/softmax/v1.cu", {"softmax"}),
        ("from cudabook.ops import softmax", {"softmax"}),
        ("cudabook.ops.vector_add.add(x, y)", {"vector_add"}),
        ("a softmax in prose, vector_add_two, csrc/vector_added", set()),
    ],
)
def test_operators_that_a_page_uses(tree, text, used):
    assert bookext.operators_used(text, tree / "csrc") == used


@pytest.mark.parametrize(
    "changed",
    [
        "csrc/vector_add/v1.cu",
        "csrc/common.cuh",
        "cudabook/build.py",
        "cudabook/emulator/include/cuda.h",
        "records/h200/vector_add.json",
    ],
)
def test_a_changed_source_changes_the_digest(tree, changed):
    before = digest(tree)
    (tree / changed).write_text("2")
    assert digest(tree) != before


def test_a_new_and_a_renamed_file_change_the_digest(tree):
    digests = {digest(tree)}
    (tree / "csrc/vector_add/v2.cu").write_text("1")
    digests.add(digest(tree))
    (tree / "csrc/vector_add/v2.cu").rename(tree / "csrc/vector_add/v3.cu")
    digests.add(digest(tree))
    assert len(digests) == 3


def test_a_kernel_of_the_pages_counts_where_it_is_named(tree):
    (tree / "chapters/cu").mkdir(parents=True)
    (tree / "chapters/cu/who.cu").write_text("1")
    naming, other = PAGE + 'load("cu/who.cu")', PAGE
    before = digest(tree, naming), digest(tree, other)
    (tree / "chapters/cu/who.cu").write_text("2")
    assert digest(tree, naming) != before[0] and digest(tree, other) == before[1]


FEATURES = PAGE + "features.run()"


@pytest.mark.parametrize("changed", ["cu/warp.cu", "refused/ptx.cu", "conftest.py", "test_marked.py"])
def test_tests_of_features_count_where_a_page_runs_them(tree, changed):
    for name in ("cu/warp.cu", "refused/ptx.cu", "conftest.py", "test_other.py"):
        (tree / "tests" / name).parent.mkdir(parents=True, exist_ok=True)
        (tree / "tests" / name).write_text("1")
    (tree / "tests/test_marked.py").write_text("@pytest.mark.feature(1)")
    before = digest(tree, FEATURES), digest(tree)
    (tree / "tests/test_other.py").write_text("2")
    assert digest(tree, FEATURES) == before[0]
    (tree / "tests" / changed).write_text("@pytest.mark.feature(2)")
    assert digest(tree, FEATURES) != before[0] and digest(tree) == before[1]


def test_the_table_of_problems_depends_on_its_checks_and_on_every_operator(tree):
    (tree / "tests").mkdir()
    (tree / "tests/class_b.toml").write_text("1")
    page = PAGE.replace('ops = cudabook.load("vector_add")', "import class_b")
    digests = {digest(tree, page)}
    for changed in ("tests/class_b.toml", "csrc/softmax/v1.cu"):
        (tree / changed).write_text("2")
        digests.add(digest(tree, page))
    assert len(digests) == 3


def test_a_benchmark_counts_where_it_is_called(tree):
    (tree / "benchmarks").mkdir()
    (tree / "benchmarks/builds.py").write_text("1")
    calling, other = PAGE + 'records.benchmark("builds").compare()', PAGE
    before = digest(tree, calling), digest(tree, other)
    (tree / "benchmarks/builds.py").write_text("2")
    assert digest(tree, calling) != before[0] and digest(tree, other) == before[1]


def test_another_machine_changes_the_digest(tree):
    assert digest(tree) != digest(tree, machine="torch 2.13")


def test_sources_that_a_page_does_not_run_do_not_count(tree):
    before = digest(tree)
    (tree / "cudabook/checking").mkdir()
    (tree / "cudabook/checking/run.py").write_text("2")
    (tree / "csrc/softmax/v1.cu").write_text("2")
    (tree / "cudabook/__pycache__").mkdir()
    (tree / "cudabook/__pycache__/build.py").write_text("2")
    assert digest(tree) == before


def cache_key(text):
    reader = create_nb_reader("page.md", MdParserConfig(), NbParserConfig(), text)
    notebook = reader.read(text)
    nbformat.validate(notebook)
    return JupyterCacheBase.create_hashed_notebook(None, notebook)[1]


def test_the_digest_reaches_the_key_of_jupyter_cache():
    first, second = (bookext.add_to_kernelspec(PAGE, value) for value in ("aaaa", "bbbb"))
    assert cache_key(first) == cache_key(bookext.add_to_kernelspec(PAGE, "aaaa"))
    assert len({cache_key(PAGE), cache_key(first), cache_key(second)}) == 3


def test_line_numbers_stay_and_a_page_without_kernel_is_left_alone():
    stamped = bookext.add_to_kernelspec(PAGE, "aaaa")
    assert stamped.split("\n").index("# A page") == PAGE.split("\n").index("# A page")
    assert bookext.add_to_kernelspec("# Plain\n\nkernelspec:\n  name: x\n", "aaaa").count("aaaa") == 0
