"""What a check found, and how it is shown: in a terminal, in a notebook, to a program."""

import html
import io
import json
from dataclasses import asdict, dataclass, field
from pathlib import Path
from xml.etree import ElementTree

MARKS = {"passed": "✓", "failed": "✗", "not reached": "·", "not here": "–"}
COLOURS = {"passed": "green", "failed": "bold red", "not reached": "dim", "not here": "dim"}


@dataclass
class Row:
    """One check.

    ``outcome``: 'passed', 'failed', 'not reached' (the first failure ends a run) or 'not here' (it needs a GPU).
    """

    name: str
    title: str
    outcome: str = "not reached"


@dataclass
class Verdict:
    """The outcome of ``check``.

    Attributes:
        exercise: its name.
        file: what was checked.
        target: 'cuda' or 'emulator'; empty if the process ended before it said so.
        rows: the checks in their order.
        mistake: the name of what is wrong first, such as ``grid-rounded-down``; empty if nothing is.
        sentence: what is wrong, for the learner.
        details: further lines on it.
        printed: the end of what the code printed.
        advice: what to do next.
    """

    exercise: str
    file: Path
    target: str
    rows: list[Row]
    mistake: str = ""
    sentence: str = ""
    details: list[str] = field(default_factory=list)
    printed: str = ""
    advice: str = ""
    seconds: float = 0.0

    @property
    def passed(self) -> bool:
        """Everything that can be checked here holds."""
        good = [row.outcome for row in self.rows]
        return not self.mistake and "passed" in good and set(good) <= {"passed", "not here"}

    def _lines(self):
        """(text, rich style) of each line."""
        yield f"{self.exercise} on {self.target or 'an unknown target'}, {self.file}", "bold"
        for row in self.rows:
            note = f" ({row.outcome})" if row.outcome.startswith("not") else ""
            yield f"  {MARKS[row.outcome]} {row.title}{note}", COLOURS[row.outcome]
        yield "", ""
        yield "It passes." if self.passed else self.sentence, "bold green" if self.passed else "bold"
        for line in "\n".join(self.details).splitlines():
            yield f"  {line}", ""
        if self.printed:
            yield "Your code printed:", "dim"
            for line in self.printed.splitlines():
                yield f"  {line}", "dim"
        if self.advice:
            yield self.advice, "dim"

    def __str__(self) -> str:
        return "\n".join(text for text, _ in self._lines())

    __repr__ = __str__

    def print(self) -> None:
        """Print it, in colour on a terminal."""
        from rich.console import Console
        from rich.text import Text

        console = Console(highlight=False)
        for text, style in self._lines():
            console.print(Text(text, style=style), soft_wrap=True)

    def _repr_html_(self) -> str:
        """A table for notebooks. Colours come from the page, so that it reads in light and dark."""
        cells = "".join(
            f'<tr><td style="text-align:left">{MARKS[row.outcome]}</td>'
            f'<td style="text-align:left">{html.escape(row.title)}</td>'
            f'<td style="text-align:left">{row.outcome}</td></tr>'
            for row in self.rows
        )
        lines = list(self._lines())[len(self.rows) + 2 :]
        (first, _), rest = lines[0], html.escape("\n".join(text for text, _ in lines[1:]))
        return (
            f"<p><b>{html.escape(self.exercise)}</b> on {html.escape(self.target or 'an unknown target')}</p>"
            f"<table>{cells}</table><p><b>{html.escape(first)}</b></p>" + (f"<pre>{rest}</pre>" if rest else "")
        )

    def json(self) -> str:
        """The verdict as JSON: the attributes, and ``passed``."""
        return json.dumps({"passed": self.passed, **asdict(self), "file": str(self.file)}, indent=2) + "\n"

    def junit(self) -> str:
        """The verdict as JUnit XML. What was not reached is an error, so that it never counts as done."""
        failed = sum(row.outcome == "failed" for row in self.rows)
        errors = sum(row.outcome == "not reached" for row in self.rows)
        skipped = sum(row.outcome == "not here" for row in self.rows)
        suite = ElementTree.Element(
            "testsuite",
            name=self.exercise,
            tests=str(len(self.rows)),
            failures=str(failed),
            errors=str(errors),
            skipped=str(skipped),
            time=f"{self.seconds:.3f}",
        )
        for row in self.rows:
            case = ElementTree.SubElement(suite, "testcase", classname=self.exercise, name=row.name)
            if row.outcome == "failed":
                failure = ElementTree.SubElement(case, "failure", type=self.mistake, message=self.sentence)
                failure.text = _printable("\n".join(self.details))
            elif row.outcome != "passed":
                ElementTree.SubElement(case, "skipped" if row.outcome == "not here" else "error", message=row.outcome)
        root = ElementTree.Element("testsuites")
        root.append(suite)
        buffer = io.BytesIO()
        ElementTree.ElementTree(root).write(buffer, encoding="utf-8", xml_declaration=True)
        return buffer.getvalue().decode()


def _printable(text: str) -> str:
    return "".join(c for c in text if c.isprintable() or c in "\n\t")
