"""Workflow commands of GitHub Actions: each failure is an annotation at its line.

Format: GitHub's documentation, "Workflow commands for GitHub Actions", section "Setting an error message".
"""

from __future__ import annotations

from dataclasses import dataclass

from mazurka.replay.anchor import portable_path
from mazurka.report.check_report import CheckReport, Verdict
from mazurka.report.finding import Finding


def make(*, width: int, colour: bool) -> GithubRenderer:  # every renderer is made alike
    """See :class:`mazurka.report.render.RendererFactory`."""
    return GithubRenderer()


@dataclass(frozen=True, slots=True)
class GithubRenderer:
    """One ``::error`` line per failure; a warning if inconclusive, a notice if verified."""

    def render(self, report: CheckReport) -> str:
        """The whole report."""
        if report.findings:
            return "".join(_error(finding, report.root) for finding in report.findings)
        level = "notice" if report.verdict is Verdict.VERIFIED else "error" if report.inconsistencies else "warning"
        message = f"{report.verdict.value} after {report.executions} executions"
        if report.reason:
            message += ": " + "; ".join((report.reason, *report.inconsistencies))
        return f"::{level} title={_property(f'Mazurka: {report.target}')}::{_data(message)}\n"


def _error(finding: Finding, root: str) -> str:
    failure = finding.failure
    shape = finding.explanation.shape
    title = f"Mazurka: {shape.value if shape is not None else failure.kind.value}"
    place = ""
    if failure.location is not None:
        file = _property(portable_path(failure.location.file, root))
        place = f"file={file},line={failure.location.line},"
    parts = (failure.message, finding.explanation.sentence, finding.replay and f"Replay: {finding.replay}")
    return f"::error {place}title={_property(title)}::{_data(chr(10).join(part for part in parts if part))}\n"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
