"""The report in Markdown, for summaries of workflows, comments and issues: the result, and each finding's interleaving.

Texts of programs are in code spans and fenced blocks only, each with more backticks than are in it, so that nothing in
them is Markdown or HTML.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from mazurka.lazy_dataclass import dataclass
from mazurka.report.check_report import CheckReport
from mazurka.report.finding import Finding
from mazurka.report.render_text import TextRenderer
from mazurka.report.renderer import DEFAULT_WIDTH, AnyReport
from mazurka.report.targets_table import result_of
from mazurka.report.words import counted, one_line, shorten

_TICKS: Final = re.compile("`+")
_LONGEST_TITLE: Final = 120


def make(*, width: int, colour: bool) -> MarkdownRenderer:  # every renderer is made alike
    """See :class:`mazurka.report.render.RendererFactory`."""
    return MarkdownRenderer()


@dataclass(frozen=True, slots=True)
class MarkdownRenderer:
    """A heading, a table of several targets, and a section for each finding."""

    def render(self, report: AnyReport) -> str:
        """The whole report."""
        found = len(report.findings)
        lines = [f"## Mazurka: {code(report.subject)}", ""]
        if isinstance(report, CheckReport) and report.parts:
            lines += _targets(report)
        if found:
            lines += [f"**{counted(found, 'finding')}**", ""]
        else:
            lines += [f"**{report.conclusion.level.value}**: {code(report.conclusion.words)}", ""]
        for finding in report.findings:
            lines += _section(finding, report)
        if report.suppressed_failures:
            lines += [f"{counted(len(report.suppressed_failures), 'failure')} suppressed", ""]
        return "\n".join(lines)


def _targets(report: CheckReport) -> Iterator[str]:
    yield "| target | result | executions | time |"
    yield "|---|---|---:|---:|"
    for part in report.parts:
        name = code(part.target.replace("|", "\\|"))
        yield f"| {name} | {result_of(part)} | {part.executions:,} | {part.seconds:.2f} s |"
    yield ""


def _section(finding: Finding, report: AnyReport) -> Iterator[str]:
    shape = finding.explanation.shape
    yield f"### {(shape.value if shape is not None else finding.kind.replace('-', ' ')).capitalize()}"
    yield ""
    about = f"{code(finding.target)}: " if finding.target else ""
    yield about + code(shorten(finding.message, _LONGEST_TITLE))
    yield ""
    yield from fenced(TextRenderer(DEFAULT_WIDTH, False).render_finding(finding, report.root))
    yield ""


def code(text: str) -> str:
    """A text as a code span."""
    plain = one_line(text) or " "
    ticks = "`" * (1 + max((len(each) for each in _TICKS.findall(plain)), default=0))
    space = " " if plain.startswith("`") or plain.endswith("`") else ""
    return f"{ticks}{space}{plain}{space}{ticks}"


def fenced(text: str) -> list[str]:
    """A text as a fenced block."""
    ticks = "`" * max(3, 1 + max((len(each) for each in _TICKS.findall(text)), default=0))
    return [f"{ticks}text", text.rstrip("\n"), ticks]
