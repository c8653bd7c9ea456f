"""A prediction report for people: each finding's events, the order that leads to it in short, and what was counted."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from typing import Final

from mazurka.report.prediction_report import Act, Lock, Predicted, PredictionReport, Shown
from mazurka.report.words import printable, shorten, verb
from mazurka.trace.event import Op

#: Turns of threads that are told of a long order: the last ones.
_TURNS: Final = 8

#: What names are cut to: some are whole keys of dictionaries.
_LONGEST_NAME: Final = 200

_ENDINGS: Final = {
    "race": "then both accesses are enabled",
    "deadlock": "then each waits for the next",
    "atomicity": "with the three in this order",
    "order-violation": "with the two in this order",
}

#: What threads of a deadlock do that is not a circle of locks.
_ENDLESS: Final = (verb(Op.WAIT), verb(Op.JOIN))


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
    lines = [f"{finding.kind.replace('-', ' ')}{which}: {_sentence(finding)}"]
    lines += [f"  {_act(act)}" for act in finding.acts]
    ending = "then all wait" if any(act.what in _ENDLESS for act in finding.acts) else _ENDINGS[finding.kind]
    lines.append(f"  order: {_order(finding.witness, ending)}")
    lines.append(f"  found by {finding.engine}{alike}; witness verified{_confirmed(finding)}")
    return lines


def _sentence(finding: Predicted) -> str:
    acts = finding.acts
    threads = ", ".join(dict.fromkeys(act.thread for act in acts))
    match finding.kind:
        case "race":
            return f"nothing orders accesses of {_name(acts[0])} by {threads}"
        case "deadlock":
            if any(act.what == verb(Op.WAIT) for act in acts):
                return f"{threads} wait, and nobody is left to go on"
            return f"{threads} wait for one another"
        case "order-violation":
            return _inverted(*acts)
        case _:
            return f"{acts[1].thread} gets between two accesses of {_name(acts[0])} by {acts[0].thread}"


def _inverted(first: Act, second: Act) -> str:
    if first.what == verb(Op.FREE):
        return f"{second.thread} uses {_name(second)} after {first.thread} has freed it"
    return f"{first.thread} uses {_name(first)} before {second.thread} has made it ready"


def _act(act: Act) -> str:
    held = ", ".join(map(_lock, act.held))
    doing = f"{act.thread} {act.what} {_name(act)}{_at(act.place)} (event {act.event})"
    return f"{doing}, holding {held}" if held else doing


def _lock(lock: Lock) -> str:
    return f"{shorten(lock.name, _LONGEST_NAME)} (taken{_at(lock.place)}, event {lock.event})"


def _name(act: Act) -> str:
    return shorten(act.target, _LONGEST_NAME)


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
    counts, found = report.counts, []
    if "race" in report.kinds:
        events = f"{_count(counts.racy_events, 'racy event')}, {_count(counts.race_pairs, 'race pair')}"
        found.append(f"{_count(counts.race_locations, 'race location')} ({events})")
    if "deadlock" in report.kinds:
        found.append(_count(counts.deadlocks, "deadlock"))
    if "atomicity" in report.kinds:
        found.append(_count(counts.atomicity_violations, "atomicity violation"))
    if "order-violation" in report.kinds:
        found.append(_count(counts.order_violations, "order violation"))
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
