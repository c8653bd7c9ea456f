"""The table of the targets of a check, in the end of its text: verdict, executions and time of each."""

from __future__ import annotations

from collections import Counter
from typing import Final

from mazurka.report.check_report import CheckReport, Verdict
from mazurka.report.words import counted, cut, one_line

_ERROR: Final = "error"
_NO_THREADS: Final = "no threads"

#: The least number of columns for the names of targets.
_NARROWEST: Final = 20

#: The order in which results are counted, and their plurals.
_RESULTS: Final = {
    _ERROR: "errors",
    Verdict.VIOLATION.value: "violations",
    Verdict.INCONCLUSIVE.value: "inconclusive",
    Verdict.VERIFIED.value: "verified",
    _NO_THREADS: "without threads",
}


def result_of(report: CheckReport) -> str:
    """The result of one target, in a word or two."""
    if report.error or report.inconsistencies:
        return _ERROR
    return _NO_THREADS if report.explored_nothing else report.verdict.value


def summary_lines(report: CheckReport, width: int) -> list[str]:
    """The table of all parts of a report, and the counts; lines of at most ``width`` columns."""
    rows = [
        (one_line(part.target), result_of(part), f"{part.executions:,}", f"{part.seconds:.2f} s")
        for part in report.parts
    ]
    heads = ("target", "result", "executions", "time")
    widths = [max(len(row[at]) for row in (heads, *rows)) for at in range(4)]
    widths[0] = min(widths[0], max(width - sum(widths[1:]) - 6, _NARROWEST))
    lines = [_line(row, widths) for row in (heads, *rows)]
    counts = Counter(row[1] for row in rows)
    words = [
        f"{counts[result]} {plural if counts[result] > 1 else _singular(result)}"
        for result, plural in _RESULTS.items()
        if counts[result]
    ]
    failures = len(report.findings)
    total = f"{counted(len(rows), 'target')}: {', '.join(words)}"
    return [*lines, total + (f"; {counted(failures, 'failure')}" if failures else "")]


def _singular(result: str) -> str:
    return "without threads" if result == _NO_THREADS else result


def _line(row: tuple[str, ...], widths: list[int]) -> str:
    name, result, executions, seconds = row
    return (
        f"{cut(name, widths[0]):{widths[0]}}  {result:{widths[1]}}  {executions:>{widths[2]}}  {seconds:>{widths[3]}}"
    )
