"""The table of features: what the marked tests give, and that every test of both targets is marked."""

import ast
import json
import re
import subprocess
import sys

import pytest

import cudabook
from cudabook import cuda, features, records

MODULE = """import pytest

@pytest.mark.feature("Warps", "`__syncwarp` & more")
@pytest.mark.parametrize("n", [1, 2, 3])
def test_three(target, n):
    assert (target, n) != ("emulator", 2), "warp.cu"

@pytest.mark.feature("Launches", "one that is skipped")
def test_skips(target):
    pytest.skip("not here")

@pytest.mark.feature("Warps", "by itself")
def test_only_on_the_emulator(tmp_path):
    (tmp_path / "own.cu").touch()

def test_not_marked(target):
    assert False
"""


MORE = """import pytest

@pytest.mark.feature("Launches", "from another file")
def test_more(target):
    assert target, "warp.cu"
"""
CONFTEST = """import pytest

@pytest.fixture(params=["emulator", "cuda"])
def target(request):
    return request.param
"""


@pytest.fixture
def folder(tmp_path):
    tests = tmp_path / "tests"
    (tests / "cu").mkdir(parents=True)
    (tests / "cu" / "warp.cu").write_text("#include <cuda_runtime.h>\n")
    (tests / "conftest.py").write_text(CONFTEST)
    (tests / "test_some.py").write_text(MODULE)
    (tests / "test_more.py").write_text(MORE)
    (tmp_path / "pyproject.toml").write_text('[tool.pytest.ini_options]\nmarkers = ["feature(group, what)"]\n')
    return tests


def test_outcomes_are_counted_by_feature(folder):
    rows = features.run("emulator", folder)
    keys = ("group", "feature", "sources", "both", "cases", "passed", "skipped")
    assert [tuple(row[key] for key in keys) for row in rows] == [
        ("Launches", "from another file", ["warp.cu"], True, 1, 1, 0),
        ("Launches", "one that is skipped", ["warp.cu"], True, 1, 0, 1),
        ("Warps", "by itself", ["test_some.py"], False, 1, 1, 0),
        ("Warps", "`__syncwarp` & more", ["warp.cu"], True, 3, 2, 0),
    ]


def test_a_group_that_the_table_does_not_have_is_an_error(folder):
    (folder / "test_some.py").write_text(MODULE.replace('"Launches"', '"Lunches"'))
    with pytest.raises(RuntimeError, match="the group is 'Lunches', expected one of Launches"):
        features.run("emulator", folder)


def test_tests_that_cannot_run_are_an_error_with_their_output(folder):
    (folder / "test_some.py").write_text(MODULE + "\nraise KeyError('broken')\n")
    with pytest.raises(RuntimeError, match="KeyError: 'broken'"):
        features.run("emulator", folder)


@pytest.fixture
def record(tmp_path, monkeypatch):
    """A record of one feature, as if of a GPU; no GPU is here."""
    monkeypatch.setenv("CUDABOOK_RECORDS", str(tmp_path))
    monkeypatch.setattr(cuda, "problem", lambda: "no GPU is visible")
    stamp = {"gpu": "New GPU", "torch": "2.11.0", "cuda": "13.0", "date": "2026-02-01"}
    row = {"group": "Warps", "feature": "`__syncwarp` & more", "sources": ["warp.cu"], "both": True, "cases": 3,
           "passed": 3, "skipped": 0}
    assert features.on_gpu() is None
    records.write(records.Record("features", [row], stamp, records.sources_digest("features")))
    return features.on_gpu()


def test_table_has_a_column_for_the_gpu_where_one_is_recorded(folder, record):
    assert not record.stale and record.label.startswith("New GPU")
    rows = features.run("emulator", folder)
    plain, both = features.Table(rows), features.Table(rows, record)
    assert "GPU" not in plain._repr_html_() and "<th>GPU</th>" in both._repr_html_()
    cells = ["<td><code>__syncwarp</code> &amp; more", '<td class="source">warp.cu', "<td>2 of 3", "<td>3 of 3"]
    assert "</td>".join(cells) in both._repr_html_()
    assert str(both).splitlines() == [
        "Launches: from another file (warp.cu): 1 of 1, not recorded",
        "Launches: one that is skipped (warp.cu): 0 of 0, 1 skipped, not recorded",
        "Warps: by itself (test_some.py): 1 of 1, not run there",
        "Warps: __syncwarp & more (warp.cu): 2 of 3, 3 of 3",
    ]
    assert both._repr_html_().count("colspan") == 2  # a line for each group


def test_changed_sources_make_the_record_stale(record, monkeypatch, tmp_path):
    monkeypatch.setattr(features, "source_files", lambda: [tmp_path / "New_GPU" / "features.json"])
    assert record.stale


COLLECT = """
import json, sys, pytest
class Keep:
    def pytest_collection_finish(self, session):
        both = [i for i in session.items if getattr(i, "callspec", None) and i.callspec.params.get("target") == "cuda"]
        marks = [(i.get_closest_marker("feature"), i) for i in both]
        rows = [(i.nodeid, mark.args if mark else None) for mark, i in marks]
        open(sys.argv[1], "w").write(json.dumps(rows))
pytest.main(["--collect-only", "-q", "-p", "no:cacheprovider", *sys.argv[2:]], plugins=[Keep()])
"""


@pytest.fixture(scope="module")
def collected(tmp_path_factory):
    """Node and mark of each test of both targets, in the files with features."""
    out = tmp_path_factory.mktemp("collected") / "rows.json"
    files = map(str, features.marked_files())
    subprocess.run([sys.executable, "-c", COLLECT, str(out), *files], check=True, capture_output=True,
                   cwd=features.TESTS.parent)
    return json.loads(out.read_text())


def test_every_test_of_both_targets_is_a_feature(collected):
    assert len(collected) > 50
    assert not [node for node, mark in collected if mark is None]


def test_every_source_belongs_to_a_feature():
    others = {"counters.cu", "vector_add_raw.cu", "reduce_raw.cu"}  # of the profile's tests, and of operators'
    sources = {p.name for p in (features.TESTS / "cu").glob("*.cu")} - others
    marked = "\n".join(p.read_text() for p in features.marked_files())
    assert not {name for name in sources if f'"{name}"' not in marked}


def test_names_in_marks_are_names_in_the_sources():
    """What a mark names in backquotes is used in a source; ``__fadd_rd`` is there as one of four roundings."""
    sources = "\n".join(p.read_text() for p in (features.TESTS / "cu").glob("*.cu"))
    names = set()
    for path in features.marked_files():
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                names |= set(re.findall(r"`((?:__|cuda[A-Z]|atomic[A-Z]|cublas[A-Z])\w+)`", node.value))
    names = {name for name in names if not name.startswith("cudaError")}
    assert len(names) > 80
    assert not {n for n in names if not re.search(rf"\b{re.sub('_r[nzud]$', '', n)}", sources)}


def test_record_without_a_gpu_says_why(monkeypatch):
    monkeypatch.setattr(cuda, "problem", lambda: "no GPU is visible")
    with pytest.raises(cudabook.TargetError, match="cannot run on a GPU: no GPU is visible"):
        features.measure()
