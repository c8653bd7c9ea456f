"""Workflow commands of GitHub Actions: each finding is an annotation at its line, and at those of steps in conflict.

The steps in conflict are warnings that refer to the finding; steps at the same line have one, and none at the finding's
own. The step's summary is the report in Markdown (render_markdown.py), which the command line appends to it.

Format: GitHub's documentation, "Workflow commands for GitHub Actions", section "Setting an error message".
"""

from __future__ import annotations

from collections.abc import Iterator

from mazurka.lazy_dataclass import dataclass
from mazurka.replay.anchor import portable_path
from mazurka.report.check_report import CheckReport
from mazurka.report.finding import Finding
from mazurka.report.report import Report
from mazurka.report.steps import steps_of
from mazurka.report.words import printable


def make(*, width: int, colour: bool) -> GithubRenderer:  # every renderer is made alike
    """See :class:`mazurka.report.render.RendererFactory`."""
    return GithubRenderer()


@dataclass(frozen=True, slots=True)
class GithubRenderer:
    """One ``::error`` line per finding, and ``::warning`` lines; without findings, the result in words, of each target
    if there are several."""

    def render(self, report: Report) -> str:
        """The whole report."""
        if isinstance(report, CheckReport) and report.parts:
            parts = [part for part in report.parts if not part.findings and not part.explored_nothing]
            return self._findings(report) + "".join(map(self.render, parts))
        if report.findings:
            return self._findings(report)
        conclusion, title = report.conclusion, _property(f"Mazurka: {report.subject}")
        return f"::{conclusion.level.value} title={title}::{_data(conclusion.words)}\n"

    @staticmethod
    def _findings(report: Report) -> str:
        return "".join(
            line for each in report.findings for line in (_error(each, report.root), *_conflicts(each, report))
        )


def _error(finding: Finding, root: str) -> str:
    shape = finding.explanation.shape
    title = f"Mazurka: {shape.value if shape is not None else finding.kind.replace('-', ' ')}"
    place = ""
    if finding.location is not None and finding.location.line:
        file = _property(portable_path(finding.location.file, root))
        place = f"file={file},line={finding.location.line},"
    parts = (finding.message, finding.explanation.sentence, finding.replay and f"Replay: {finding.replay}")
    return f"::error {place}title={_property(title)}::{_data(chr(10).join(part for part in parts if part))}\n"


def _conflicts(finding: Finding, report: Report) -> Iterator[str]:
    """An annotation for each line of the steps in conflict."""
    own = finding.location
    at = f" ({portable_path(own.file, report.root)}:{own.line})" if own is not None and own.line else ""
    places: dict[tuple[str, int], list[str]] = {}
    for step in steps_of(finding, report):
        known = own is not None and (portable_path(own.file, report.root), own.line)
        if step.is_conflicting and step.line and (step.file, step.line) != known:
            places.setdefault((step.file, step.line), []).append(f"{step.label} {step.text}")
    for (file, line), texts in places.items():
        place = f"file={_property(file)},line={line},"
        words = f"{'; '.join(texts)}{chr(10)}In conflict: {finding.message}{at}"
        yield f"::warning {place}title={_property('Mazurka: step in conflict')}::{_data(words)}\n"


def _data(text: str) -> str:
    shown = "\n".join(map(printable, text.splitlines()))
    return shown.replace("%", "%25").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
