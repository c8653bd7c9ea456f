"""The text of a prediction: each finding's events, a short form of the order that leads to it, and the counts.

These are lines of any length; the renderer wraps them, with a deeper indentation.
"""

from __future__ import annotations

from typing import Final

from mazurka.predict.kinds.registry import KINDS
from mazurka.report.finding import CheckedWitness, Finding, FindingEvent, HeldLock
from mazurka.report.prediction_report import PredictionReport
from mazurka.report.words import LONGEST_NAME, counted, shorten

#: The number of turns shown of a long order: the last ones.
_TURNS: Final = 8


def finding_lines(finding: Finding, which: str = "") -> list[str]:
    """The lines of one finding; ``which`` is its number among several (`` 1 of 3``)."""
    alike = f", {finding.alike} times" if finding.alike > 1 else ""
    lines = [f"{finding.kind.replace('-', ' ')}{which}: {finding.explanation.sentence}"]
    lines += [f"  {_event(event)}" for event in finding.events]
    if finding.witness is not None:
        lines.append(f"  order: {_order(finding.witness)}")
    lines.append(f"  found by {finding.engine}{alike}; witness verified{_replayed(finding)}")
    return lines


def _event(event: FindingEvent) -> str:
    held = ", ".join(map(_lock, event.held))
    target = shorten(event.target, LONGEST_NAME)
    doing = f"{event.thread} {event.operation} {target}{_at(event.place)} (event {event.number})"
    return f"{doing}, holding {held}" if held else doing


def _lock(lock: HeldLock) -> str:
    return f"{shorten(lock.name, LONGEST_NAME)} (taken{_at(lock.place)}, event {lock.event})"


def _at(place: str) -> str:
    return f" at {place}" if place else ""


def _order(witness: CheckedWitness) -> str:
    turns = [f"{turn.thread} to event {turn.last}" for turn in witness.turns[-_TURNS:]]
    left_out = len(witness.turns) - len(turns)
    if left_out:
        turns.insert(0, counted(left_out, "turn"))
    if witness.prefix:
        turns.insert(0, f"in trace order to event {witness.prefix - 1}")
    if not turns:
        return f"{witness.ending.removeprefix('then ')} from the start"
    return f"{', '.join([*turns, witness.ending])} ({counted(witness.events, 'event')})"


def _replayed(finding: Finding) -> str:
    if finding.replayed is None:
        return ", not replayed"
    if finding.replayed:
        return " and confirmed by a replay"
    return ", not confirmed: executions guided there did not show it"


def closing_lines(report: PredictionReport) -> list[str]:
    """The counts, the stages, and the suppressed findings."""
    return [*_summary(report), *_stages(report), *_suppressions(report)]


def _summary(report: PredictionReport) -> list[str]:
    found = [KINDS[kind].counts_in_words(report.counts) for kind in report.kinds]
    size = f"{counted(report.events, 'event')} of {counted(report.threads, 'thread')}"
    lines = [_unconfirmed(each) for each in report.unconfirmed]
    lines += [", ".join(found), f"  in {report.source}: {size}; engine {report.engine}, {report.seconds:.1f} s"]
    lines += [f"  {text}" for text in report.lacking]
    reasons = list(dict.fromkeys(text for stage in report.stages for text in stage.because))
    lines += [f"  undecided: {text}" for text in reasons]
    if (others := report.undecided - len(reasons)) > 0:
        lines.append(f"  undecided: {counted(others, 'candidate')}, {_why(report)}")
    lines += [f" rejected by the witness checker, an error in Mazurka: {text}" for text in report.refused]
    return lines


def _unconfirmed(finding: Finding) -> str:
    why = "not proven, since a repair assumed an order" if finding.replayed is None else "not confirmed by a run"
    return f"{why}, and not counted: {finding.kind.replace('-', ' ')}: {finding.explanation.sentence}"


def _why(report: PredictionReport) -> str:
    """The limit because of which candidates are undecided."""
    if report.expired:
        return "the time limit was reached"
    if report.engine == "seqcheck":
        return "which seqcheck can't decide; auto may"
    return "try a larger --window" if report.window else "beyond the limits of the search"


def _stages(report: PredictionReport) -> list[str]:
    return [
        f"  {stage.name}, {stage.kind}: {counted(stage.candidates, 'candidate')}, {stage.found:,} proven, "
        f"{stage.refuted:,} refuted, {stage.undecided:,} undecided, {stage.seconds:.1f} s"
        for stage in report.stages
        if stage.candidates
    ]


def _suppressions(report: PredictionReport) -> list[str]:
    kept_back = sum(each.findings for each in report.suppressed)
    lines = [f"  suppressed: {counted(kept_back, 'finding')}"] if kept_back else []
    return lines + [
        f"  unused suppression in line {each.line}: {each.rule}" for each in report.suppressed if not each.findings
    ]
