"""A prediction report for people: each finding's events, the order that leads to it in short, and what was counted."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from typing import Final

from mazurka.predict.kinds.registry import KINDS
from mazurka.report.prediction_report import Act, Lock, Predicted, PredictionReport, Shown
from mazurka.report.words import LONGEST_NAME, printable, shorten

#: Turns of threads that are told of a long order: the last ones.
_TURNS: Final = 8


def render(report: PredictionReport, width: int) -> str:
    """The whole report, in lines of at most ``width`` columns."""
    lines: list[str] = []
    for number, finding in enumerate(report.findings, 1):
        lines += [*_finding(finding, number, len(report.findings)), ""]
    lines += [*_summary(report), *_stages(report), *_suppressions(report)]
    return "\n".join(part for line in lines for part in _wrapped(printable(line), width)) + "\n"


def _wrapped(line: str, width: int) -> Iterator[str]:
    """A line, and what does not fit on it on lines that are further in."""
    within = " " * (len(line) - len(line.lstrip()) + 4)
    parts = textwrap.wrap(line, width, subsequent_indent=within, break_long_words=False, break_on_hyphens=False)
    yield from parts or [""]


def _finding(finding: Predicted, number: int, of: int) -> list[str]:
    which = f" {number} of {of}" if of > 1 else ""
    alike = f", {finding.alike} times" if finding.alike > 1 else ""
    lines = [f"{finding.kind.replace('-', ' ')}{which}: {finding.sentence}"]
    lines += [f"  {_act(act)}" for act in finding.acts]
    lines.append(f"  order: {_order(finding.witness, finding.ending)}")
    lines.append(f"  found by {finding.engine}{alike}; witness verified{_confirmed(finding)}")
    return lines


def _act(act: Act) -> str:
    held = ", ".join(map(_lock, act.held))
    doing = f"{act.thread} {act.what} {_name(act)}{_at(act.place)} (event {act.event})"
    return f"{doing}, holding {held}" if held else doing


def _lock(lock: Lock) -> str:
    return f"{shorten(lock.name, LONGEST_NAME)} (taken{_at(lock.place)}, event {lock.event})"


def _name(act: Act) -> str:
    return shorten(act.target, LONGEST_NAME)


def _at(place: str) -> str:
    return f" at {place}" if place else ""


def _order(shown: Shown, ending: str) -> str:
    turns = [f"{turn.thread} to event {turn.last}" for turn in shown.turns[-_TURNS:]]
    left_out = len(shown.turns) - len(turns)
    if left_out:
        turns.insert(0, _count(left_out, "turn"))
    if shown.prefix:
        turns.insert(0, f"as it was to event {shown.prefix - 1}")
    if not turns:
        return f"{ending.removeprefix('then ')} from the start"
    return f"{', '.join([*turns, ending])} ({_count(shown.events, 'event')})"


def _confirmed(finding: Predicted) -> str:
    if finding.confirmed is None:
        return ", not replayed"
    if finding.confirmed:
        return " and confirmed by a replay"
    return ", but not confirmed: executions guided there did not show it"


def _count(number: int, what: str, several: str = "") -> str:
    return f"{number:,} {what if number == 1 else several or what + 's'}"


def _summary(report: PredictionReport) -> list[str]:
    found = [KINDS[kind].counts_in_words(report.counts) for kind in report.kinds]
    size = f"{_count(report.events, 'event')} of {_count(report.threads, 'thread')}"
    lines = [", ".join(found), f"  in {report.source}: {size}; engine {report.engine}, {report.seconds:.1f} s"]
    if report.undecided:
        lines.append(f"  undecided: {_count(report.undecided, 'candidate')}, {_why(report)}")
    lines += [f"  not believed by the witness checker, an error in Mazurka: {text}" for text in report.refused]
    return lines


def _why(report: PredictionReport) -> str:
    """What candidates were left open for."""
    if report.expired:
        return "for want of time"
    if report.engine == "seqcheck":
        return "of which seqcheck can't tell; auto might"
    return "try a larger --window" if report.window else "beyond the limits of the search"


def _stages(report: PredictionReport) -> list[str]:
    return [
        f"  {stage.name}, {stage.kind}: {_count(stage.candidates, 'candidate')}, {stage.found:,} proven, "
        f"{stage.refuted:,} refuted, {stage.undecided:,} undecided, {stage.seconds:.1f} s"
        for stage in report.stages
        if stage.candidates
    ]


def _suppressions(report: PredictionReport) -> list[str]:
    kept_back = sum(each.findings for each in report.suppressed)
    lines = [f"  suppressed: {_count(kept_back, 'finding')}"] if kept_back else []
    return lines + [
        f"  unused suppression in line {each.line}: {each.rule}" for each in report.suppressed if not each.findings
    ]
