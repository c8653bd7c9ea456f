"""The destinations and the forms of reports: standard output, and files.

Without ``--output`` the report is printed in the form that ``--format`` names. With ``--output`` files get the other
forms, and the text is printed, too, unless ``--quiet`` suppresses it. The form of an output is given before its name
(``sarif:report.json``); otherwise it is that of ``--format``, or of the suffix of the name, or text. The name ``-`` is
standard output.
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from mazurka.cli.closed_pipes import reader_may_go
from mazurka.config import FORMATS, Options
from mazurka.errors import UsageError
from mazurka.lazy_dataclass import dataclass
from mazurka.report.check_report import CheckReport
from mazurka.report.render import is_binary, rendered, renderer
from mazurka.report.render_text import make as make_text
from mazurka.report.renderer import DEFAULT_WIDTH, AnyReport
from mazurka.workflows import store

STANDARD_OUTPUT: Final = "-"
_BY_SUFFIX: Final = {
    ".json": "json",
    ".sarif": "sarif",
    ".xml": "junit",
    ".html": "html",
    ".htm": "html",
    ".md": "markdown",
    ".dot": "dot",
    ".gv": "dot",
    ".mmd": "mermaid",
    ".csv": "csv",
    ".parquet": "parquet",
}

#: The variable that names the file of a step's summary in a workflow of GitHub, and the largest part that is shown.
_SUMMARY: Final = "GITHUB_STEP_SUMMARY"
_LARGEST_SUMMARY: Final = 1 << 19


@dataclass(frozen=True, slots=True)
class Output:
    """One report: its form, and its file (``-``: standard output)."""

    form: str
    name: str = STANDARD_OUTPUT


#: The default of the printed report.
TEXT: Final = Output("text")


def outputs_of(options: Options) -> tuple[Output, ...]:
    """The requested reports; an error if one of them can't be written, or its format is ambiguous."""
    if not options.output:
        return () if options.quiet else (Output(options.format),)
    formless = [each for each in options.output if not _form_before(each)]
    if options.format != "text" and len(formless) > 1:
        problem = f"--format {options.format} can't be meant for all of {', '.join(formless)}"
        raise UsageError("output", problem, hint=f"say which: --output {options.format}:{formless[0]}")
    return (*([] if options.quiet else [TEXT]), *(output_of(each, options.format) for each in options.output))


def _form_before(given: str) -> str:
    form, colon, _ = given.partition(":")
    return form if colon and form in FORMATS else ""


def output_of(given: str, form: str) -> Output:
    """The report for an argument ``[FORMAT:]FILE``, whose format may also be that of the suffix, and otherwise is
    ``form``; an error if it can't be written."""
    said = _form_before(given)
    name = given.removeprefix(f"{said}:")
    by_name = _BY_SUFFIX.get(Path(name).suffix, form) if form == "text" else form
    if name != STANDARD_OUTPUT:
        prepare_output(name)
        name = os.path.abspath(name)
    return Output(said or by_name, name)


def prepare_output(name: str) -> None:
    """Raise the error that a report can't be written now, not after a long check."""
    path = Path(name)
    if path.is_dir():
        raise UsageError("output", "this is a directory", where=name, hint="name a file")
    if not os.access(path.parent, os.W_OK):
        raise UsageError("output", "a file can't be written there", where=name)


def publish(report: AnyReport, outputs: Sequence[Output]) -> None:
    """Write the report to all its outputs."""
    width, colour = _terminal()
    for each in outputs:  # files first: the reader of standard output may be gone
        if each.name != STANDARD_OUTPUT:
            write_whole(Path(each.name), rendered(each.form, report))
    if any(each.form == "github" for each in outputs):
        _summarise(report)
    with reader_may_go():
        for each in outputs:
            if each.name == STANDARD_OUTPUT and is_binary(each.form):
                _print_binary(rendered(each.form, report), each.form)
            elif each.name == STANDARD_OUTPUT:
                sys.stdout.write(renderer(each.form, width=width, colour=colour).render(report))
        sys.stdout.flush()


def _print_binary(content: bytes, form: str) -> None:
    if sys.stdout.isatty():
        raise UsageError("output", f"{form} is no text for a terminal", hint=f"--output report.{form}")
    sys.stdout.flush()
    sys.stdout.buffer.write(content)
    sys.stdout.buffer.flush()


def _summarise(report: AnyReport) -> None:
    """Append the report in Markdown to the summary of a step of GitHub's workflows, if this is one."""
    name = os.environ.get(_SUMMARY)
    if not name:
        return
    text = rendered("markdown", report)
    if len(text) > _LARGEST_SUMMARY:
        text = b"## Mazurka\n\nThe report is too long for a summary: see the log of this step.\n"
    try:
        with open(name, "ab") as file:
            file.write(text + b"\n")
    except OSError as error:
        raise UsageError("output", f"can't be written: {error.strerror}", where=f"{_SUMMARY}={name}") from None


def publish_part(report: CheckReport) -> None:
    """Print the report on one of several targets."""
    width, colour = _terminal()
    with reader_may_go():
        sys.stdout.write(make_text(width=width, colour=colour).render_part(report) + "\n")
        sys.stdout.flush()


def publish_summary(report: CheckReport) -> None:
    """Print the table of a report on several targets."""
    width, colour = _terminal()
    with reader_may_go():
        sys.stdout.write(make_text(width=width, colour=colour).render_summary(report))
        sys.stdout.flush()


def _terminal() -> tuple[int, bool]:
    """The width of standard output, and whether it is a terminal that shows colours."""
    terminal = sys.stdout.isatty()
    width = shutil.get_terminal_size((DEFAULT_WIDTH, 24)).columns if terminal else DEFAULT_WIDTH
    return width, terminal and not os.environ.get("NO_COLOR")


def write_whole(path: Path, content: str | bytes) -> None:
    """Write a complete file or nothing."""
    try:
        store.write_whole(path, content)
    except OSError as error:
        raise UsageError("output", f"can't be written: {error.strerror}", where=str(path)) from None
