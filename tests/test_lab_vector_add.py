"""Lab 01 and the machinery of labs: planted mistakes are rejected by name, right answers pass however they look."""

import contextlib
import json
import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from xml.etree import ElementTree

import psutil
import pytest
from lab_tools import command, first_mistake, run_notebook

from cudabook import cuda, default_target, lab, make_labs
from cudabook.checking import report, table
from cudabook.checking.run import Limits, check
from cudabook.emulator import build as emulator
from cudabook.errors import BuildError

ROOT = Path(__file__).parents[1]
HERE = Path(__file__).parent / "labs" / "vector_add"
SHORT = Limits(seconds=5, memory=(2 if default_target() == "emulator" else 8) << 30)
UNFINISHED = "Nothing has been launched yet, and out is empty: this is what an unfinished lab says."


@pytest.fixture(scope="module", autouse=True)
def built():
    """Compiles everything that is planted, as many at once as there are cores; tests find it in the cache."""

    def build(task):
        with contextlib.suppress(BuildError):  # a planted mistake
            task[0](task[1])

    builders = [emulator.build_file] + ([cuda.build_file] if default_target() == "cuda" else [])
    files = sorted(HERE.rglob("*.cu"))
    build((builders[0], files[0]))  # the emulator's runtime first
    with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        list(pool.map(build, [(builder, file) for builder in builders for file in files]))


def planted(folder):
    """(file, exercise, mistake) of each file, from its first line: `// EXERCISE: MISTAKE`."""
    found = []
    for file in sorted((HERE / folder).glob("*.cu")):
        exercise, _, mistake = file.read_text().splitlines()[0].removeprefix("// ").partition(":")
        found.append(pytest.param(file, exercise, mistake.strip(), id=file.stem))
    return found


@pytest.mark.parametrize("file, exercise, mistake", planted("wrong"))
def test_mistake_is_named(file, exercise, mistake):
    found = first_mistake(exercise, file)
    assert found is not None, "this wrong answer passes"
    assert found.name == mistake, str(found)


@pytest.mark.parametrize("file, exercise, mistake", planted("fatal"))
def test_answer_that_breaks_its_process_is_named(file, exercise, mistake):
    verdict = check(exercise, file, SHORT)
    assert not verdict.passed
    assert verdict.mistake == mistake, str(verdict)
    assert verdict.rows[-1].outcome == "not reached"


@pytest.mark.parametrize("file, exercise, mistake", planted("right"))
def test_right_answer_passes(file, exercise, mistake):
    found = first_mistake(exercise, file)
    assert found is None, str(found)


@pytest.mark.parametrize("exercise", make_labs.solution_cells("01_vector_add"))
def test_solution_passes_on_the_command_line(exercise, tmp_path):
    (tmp_path / "work").mkdir()
    (tmp_path / "work" / f"{exercise}.cu").write_text(make_labs.solution_cells("01_vector_add")[exercise])
    ran = command("check", exercise, "--json", "v.json", "--junitxml", "v.xml", cwd=tmp_path)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert f"Compare it with solutions/{table.exercise(exercise).lab}.md" in ran.stdout
    verdict = json.loads((tmp_path / "v.json").read_text())
    assert verdict["passed"] and not verdict["mistake"]
    outcomes = [row["outcome"] for row in verdict["rows"]]
    hidden = 1 if verdict["target"] == "emulator" else 0
    assert outcomes == ["passed"] * (len(outcomes) - hidden) + ["not here"] * hidden
    suite = ElementTree.parse(tmp_path / "v.xml").getroot()[0]
    assert [suite.get(k) for k in ("tests", "failures", "errors", "skipped")] == [
        str(len(outcomes)),
        "0",
        "0",
        str(hidden),
    ]
    listed = command("progress", cwd=tmp_path)
    assert "passed" in listed.stdout


def test_wrong_answer_on_the_command_line(tmp_path):
    file = HERE / "wrong" / "syntax_error.cu"
    ran = command("check", "vector_add", "--file", file, "--json", "v.json", "--junitxml", "v.xml", cwd=tmp_path)
    assert ran.returncode == 1
    line = 1 + file.read_text().splitlines().index("    if (i < n) out[i] = a[i] + b[i]")
    assert f"syntax_error.cu:{line}:" in ran.stdout or f"syntax_error.cu({line + 1})" in ran.stdout, ran.stdout
    assert json.loads((tmp_path / "v.json").read_text())["mistake"] == "build-error"
    suite = ElementTree.parse(tmp_path / "v.xml").getroot()[0]
    assert suite.get("failures") == "1"
    assert int(suite.get("errors")) == int(suite.get("tests")) - 1, "a check that was not reached counts as done"
    assert not (tmp_path / "work").exists(), "checking another file is no progress"


def test_command_refuses_unknown_names():
    for words in (["check", "vector_ad"], ["hint", "vector_ad"]):
        ran = command(*words)
        assert ran.returncode == 2
        assert "There are: vector_add, vector_add_grid_stride" in ran.stderr


def test_unfinished_lab_runs_and_says_so_kindly(tmp_path, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", str(ROOT), prepend=os.pathsep)
    text = (ROOT / "labs" / "01_vector_add.md").read_text()
    assert f"> {UNFINISHED}" in text, "the page quotes another sentence than the check says"
    shown = run_notebook(text, tmp_path)
    assert shown.count(UNFINISHED) == 2
    assert "It passes" not in shown
    assert (tmp_path / "work" / "vector_add.cu").is_file()
    state = json.loads((tmp_path / "work" / lab.STATE).read_text())
    assert state["vector_add"]["passed"] is False
    assert state["vector_add"]["hints"] == 1


def test_labs_are_what_the_solutions_give():
    assert not make_labs.differences(), "run `cudabook labs`"


def test_a_learner_only_adds_lines():
    for path, text in make_labs.labs().items():
        added = ("your code: about", "<!-- Made from")
        kept = [line for line in text.splitlines() if line and not any(word in line for word in added)]
        lines = iter((make_labs.SOLUTIONS / path.name).read_text().splitlines())
        assert all(line in lines for line in kept), "a line of the lab is not in its solution, or in another place"
        assert "SOLUTION" not in text


def test_gaps_say_their_size():
    cuda = "x\n    // BEGIN SOLUTION\n    a;\n\n    // why\n    b;\n    // END SOLUTION\n"
    text = cuda + "### BEGIN SOLUTION\nc\n### END SOLUTION\n"
    made = make_labs.without_solution(text, "name.md")
    assert made.endswith("x\n    // your code: about 2 lines\n# your code: about 1 line\n")


@pytest.mark.parametrize(
    "text",
    [
        "// BEGIN SOLUTION\na\n",
        "a\n// END SOLUTION\n",
        "// BEGIN SOLUTION\n// BEGIN SOLUTION\n",
        "// begin solution\na\n",
    ],
)
def test_markers_that_do_not_pair_are_refused(text):
    with pytest.raises(make_labs.MarkerError, match=r"name\.md:\d"):
        make_labs.without_solution(text, "name.md")


def test_every_exercise_has_its_check_its_lab_and_hints():
    known = table.exercises()
    assert {f"test_{name}.py" for name in known} == {p.name for p in (ROOT / "labs" / "checks").glob("test_*.py")}
    for exercise in known.values():
        assert (ROOT / "solutions" / f"{exercise.lab}.md").is_file()
        assert len(exercise.hints) >= 2
        assert f"%%{exercise.cell} {exercise.name}" in (ROOT / "solutions" / f"{exercise.lab}.md").read_text()


def test_hints_come_one_by_one(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "work").mkdir()
    (tmp_path / "work" / "vector_add.cu").touch()
    hints = table.exercise("vector_add").hints
    given = [lab.hint("vector_add") for _ in range(len(hints) + 1)]
    assert given[0] == given[-1] == f"Hint 1 of {len(hints)}: {hints[0]}"
    assert len(set(given)) == len(hints)


def code_of(text):
    return {
        "".join(line.split()) for line in text.splitlines() if any(c in line for c in ";=<(") and len(line.strip()) > 12
    }


@pytest.mark.parametrize("lab", sorted({exercise.lab for exercise in table.exercises().values()}))
def test_nothing_that_a_learner_sees_holds_the_solution(lab):
    given = (ROOT / "labs" / f"{lab}.md").read_text()
    solution = code_of("\n".join(make_labs.solution_cells(lab).values())) - code_of(given)
    assert len(solution) >= 5
    for path in [
        ROOT / "labs" / "labs.toml",
        *(ROOT / "labs" / "checks").glob("*.py"),
        *(ROOT / "cudabook" / "checking").glob("*.py"),
    ]:
        text = "".join(path.read_text().split())
        assert not [line for line in solution if line in text], f"{path.name} gives the solution away"


def test_editing_the_file_is_not_lost_when_the_cell_runs_again(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    file = tmp_path / "work" / "vector_add.cu"
    lab.write_cell("kernel", "vector_add", "one\n")
    lab.write_cell("kernel", "vector_add", "two\n")
    assert not file.with_suffix(".edited.cu").exists()
    file.write_text("edited\n")
    lab.write_cell("kernel", "vector_add", "three\n")
    assert (file.read_text(), file.with_suffix(".edited.cu").read_text()) == ("three\n", "edited\n")
    assert "had been edited" in capsys.readouterr().out
    with pytest.raises(lab.LabError, match="There is no exercise 'vector_ad'"):
        lab.write_cell("kernel", "vector_ad", "")


def test_missing_file_is_a_verdict(tmp_path):
    verdict = check("vector_add", tmp_path / "vector_add.cu")
    assert not verdict.passed
    assert verdict.mistake == "no-file"


def test_report_takes_only_signed_lines_in_their_place():
    lines = [
        f"{report.sign('key', i, text)} {text}" for i, text in enumerate(['{"event": "start"}', '{"event": "done"}'])
    ]
    assert [e["event"] for e in report.read("key", "\n".join(lines))] == ["start", "done"]
    assert report.read("other", "\n".join(lines)) == []
    assert len(report.read("key", "\n".join([lines[0], lines[0], "rubbish", ""]))) == 1
    assert report.read("key", lines[1]) == []


def test_skipped_check_fails(tmp_path, monkeypatch):
    """A check that skips, or that does not report, is no success."""
    exercise = table.exercise("vector_add")
    fake = tmp_path / "test_vector_add.py"
    fake.write_text(
        (ROOT / "labs" / "checks" / "conftest.py").read_text()
        + """
import pytest
from types import SimpleNamespace


def ANSWER(path, name):
    return SimpleNamespace(target="emulator")


def test_one(answer):
    pass


def test_two(answer):
    pytest.skip("needs a GPU")
"""
    )
    monkeypatch.setattr(type(exercise), "check", fake)
    verdict = check("vector_add", HERE / "right" / "block_32.cu")
    assert [row.outcome for row in verdict.rows] == ["passed", "failed"]
    assert verdict.mistake == "skipped"
    fake.write_text(
        fake.read_text().replace(
            'def test_two(answer):\n    pytest.skip("needs a GPU")', "def test_two(answer):\n    pass\n\n\ndel test_two"
        )
    )
    verdict = check("vector_add", HERE / "right" / "block_32.cu")
    assert verdict.mistake == "incomplete"


def test_nothing_outlives_a_check(tmp_path):
    """A process that the code under check leaves behind ends with the check."""
    file = tmp_path / "vector_add.cu"
    leaves = "    if (fork() == 0) {\n        setsid();\n        sleep(1000);\n    }\n    sleep(1);\n    exit(0);\n"
    source = (HERE / "fatal" / "exit_0.cu").read_text()
    file.write_text("#include <unistd.h>\n" + source.replace("    std::exit(0);\n", leaves))
    before = set(psutil.pids())
    assert check("vector_add", file, SHORT).mistake == "process-ended"
    left = [p.cmdline() for p in psutil.process_iter() if p.pid not in before and p.status() != psutil.STATUS_ZOMBIE]
    assert not [c for c in left if "cudabook.checking.child" in c]


def test_verdict_reads_in_a_notebook():
    verdict = check("vector_add", HERE / "wrong" / "syntax_error.cu")
    page = verdict._repr_html_()
    assert page.count("<tr>") == len(verdict.rows)
    assert "It does not compile" in page
    assert "error:" in page
    assert "<pre>" in page


@pytest.mark.gpu
@pytest.mark.skipif(default_target() != "cuda", reason="needs a GPU")
def test_ignored_stream_is_named(tmp_path):
    file = tmp_path / "vector_add.cu"
    file.write_text((HERE / "right" / "block_32.cu").read_text().replace(", 0, stream>>>", ">>>"))
    found = first_mistake("vector_add", file)
    assert found is not None
    assert found.name == "stream-ignored"
