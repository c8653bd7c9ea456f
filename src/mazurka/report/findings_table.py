"""The findings of a report as a table: a row for each finding, and for each suppressed failure; for CSV and Parquet.

``line``, ``other_line``, ``steps``, ``context_switches`` and ``preemptions`` are whole numbers (0: not known), all
other columns are texts. The other place is that of the second event of a race, or of a prediction.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from mazurka.replay.anchor import portable_path
from mazurka.report.finding import Finding
from mazurka.report.report import Report, Suppressed
from mazurka.trace.event import Location

#: The columns in order, and whether each holds texts.
COLUMNS: Final = {
    "subject": True,
    "kind": True,
    "shape": True,
    "message": True,
    "file": True,
    "line": False,
    "function": True,
    "thread": True,
    "other_file": True,
    "other_line": False,
    "fingerprint": True,
    "engine": True,
    "witness": True,
    "replayed": True,
    "steps": False,
    "context_switches": False,
    "preemptions": False,
    "schedule": True,
    "replay": True,
    "suppressed_by": True,
}

#: A row, in the order of the columns.
Row = tuple[str | int, ...]


def rows_of(report: Report) -> Iterator[Row]:
    """The rows of a report."""
    for finding in report.findings:
        yield _row(finding, report)
    for each in report.suppressed_failures:
        yield _suppressed(each, report)


def _row(finding: Finding, report: Report) -> Row:
    root = None if finding.predicted else report.root
    file, line, function = _place(finding.location, root)
    other = finding.failure.against if finding.failure is not None else None
    if finding.predicted and len(finding.events) > 1:
        other = finding.events[1].location
    other_file, other_line, _ = _place(other, root)
    cost, witness = finding.cost, finding.witness
    return (
        finding.target or report.subject,
        finding.kind,
        finding.explanation.shape.value if finding.explanation.shape is not None else "",
        finding.message,
        file,
        line,
        function,
        finding.label or finding.thread,
        other_file,
        other_line,
        finding.fingerprint,
        finding.engine,
        "" if witness is None else "checked" if witness.checked else "contradicted",
        "" if finding.replayed is None else "yes" if finding.replayed else "no",
        cost.points if cost is not None else 0,
        cost.switches if cost is not None else 0,
        cost.preemptions if cost is not None else 0,
        finding.schedule,
        finding.replay,
        "",
    )


def _suppressed(each: Suppressed, report: Report) -> Row:
    failure = each.failure
    own: dict[str, str | int] = dict(
        zip(("file", "line", "function"), _place(failure.location, report.root), strict=True)
    )
    other_file, other_line, _ = _place(failure.against, report.root)
    own |= {
        "subject": report.subject,
        "kind": failure.kind_name,
        "message": failure.message,
        "thread": failure.thread,
        "other_file": other_file,
        "other_line": other_line,
        "fingerprint": each.fingerprint,
        "suppressed_by": each.by,
    }
    return tuple([own.get(name, "" if is_text else 0) for name, is_text in COLUMNS.items()])


def _place(location: Location | None, root: str | None) -> tuple[str, int, str]:
    if location is None:
        return "", 0, ""
    file = location.file if root is None else portable_path(location.file, root)
    return file, location.line, location.function
