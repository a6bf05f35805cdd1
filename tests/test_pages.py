"""Every page with code runs: chapters as the book build executed them, solutions here."""

from pathlib import Path

import jupytext
import nbformat
import pytest
import yaml
from nbclient import NotebookClient

ROOT = Path(__file__).parents[1]
CHAPTERS = sorted((ROOT / "chapters").glob("*.md"))
SOLUTIONS = sorted((ROOT / "solutions").glob("*.md"))


def code_cells(notebook):
    return [cell for cell in notebook.cells if cell.cell_type == "code" and cell.source.strip()]


def test_every_page_is_in_the_table_of_contents():
    toc = (ROOT / "_toc.yml").read_text()
    listed = {chapter["file"] for part in yaml.safe_load(toc)["parts"] for chapter in part["chapters"]}
    pages = CHAPTERS + sorted((ROOT / "labs").glob("*.md"))
    assert listed == {str(page.relative_to(ROOT).with_suffix("")) for page in pages}


@pytest.mark.parametrize("page", CHAPTERS, ids=lambda page: page.stem)
def test_chapter_was_executed_by_the_build(page):
    built = ROOT / "_build" / "html" / "_sources" / "chapters" / f"{page.stem}.ipynb"
    assert built.exists(), f"{built} is missing: run `make book` first"
    cells = code_cells(nbformat.read(built, as_version=4))
    wanted = code_cells(jupytext.read(page))
    assert [cell.source for cell in cells] == [cell.source for cell in wanted], (
        f"_build holds another version of {page.name}: run `make book` first"
    )
    assert cells, f"{page.name} has no code cell"
    for cell in cells:
        assert cell.execution_count, f"this cell of {page.name} was not executed:\n{cell.source}"
        if "raises-exception" not in cell.metadata.get("tags", []):
            errors = [output.evalue for output in cell.outputs if output.output_type == "error"]
            assert not errors, f"this cell of {page.name} failed with {errors}:\n{cell.source}"


@pytest.mark.slow
@pytest.mark.parametrize("page", SOLUTIONS, ids=lambda page: page.stem)
def test_solution_runs_and_passes(page):
    notebook = jupytext.read(page)
    assert code_cells(notebook), f"{page.name} has no code cell"
    NotebookClient(
        notebook, timeout=600, kernel_name="python3", resources={"metadata": {"path": str(page.parent)}}
    ).execute()
    checks = [cell for cell in code_cells(notebook) if cell.source.startswith("check(")]
    assert checks, f"{page.name} checks nothing"
    for cell in checks:
        shown = [output.data["text/plain"] for output in cell.outputs if "data" in output]
        assert any("It passes." in text for text in shown), f"{cell.source}: {shown}"
