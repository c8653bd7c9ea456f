"""Workflow commands of GitHub Actions: each finding is an annotation at its line.

Format: GitHub's documentation, "Workflow commands for GitHub Actions", section "Setting an error message".
"""

from __future__ import annotations

from dataclasses import dataclass

from mazurka.replay.anchor import portable_path
from mazurka.report.finding import Finding
from mazurka.report.report import Report


def make(*, width: int, colour: bool) -> GithubRenderer:  # every renderer is made alike
    """See :class:`mazurka.report.render.RendererFactory`."""
    return GithubRenderer()


@dataclass(frozen=True, slots=True)
class GithubRenderer:
    """One ``::error`` line per finding; without findings, the result in words."""

    def render(self, report: Report) -> str:
        """The whole report."""
        if report.findings:
            return "".join(_error(finding, report.root) for finding in report.findings)
        conclusion, title = report.conclusion, _property(f"Mazurka: {report.subject}")
        return f"::{conclusion.level.value} title={title}::{_data(conclusion.words)}\n"


def _error(finding: Finding, root: str) -> str:
    shape = finding.explanation.shape
    title = f"Mazurka: {shape.value if shape is not None else finding.kind.replace('-', ' ')}"
    place = ""
    if finding.location is not None and finding.location.line:
        file = _property(portable_path(finding.location.file, root))
        place = f"file={file},line={finding.location.line},"
    parts = (finding.message, finding.explanation.sentence, finding.replay and f"Replay: {finding.replay}")
    return f"::error {place}title={_property(title)}::{_data(chr(10).join(part for part in parts if part))}\n"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
