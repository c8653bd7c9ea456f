"""The steps of a finding for exports: those of a failing execution, or of the order that shows a prediction.

A prediction's steps are in the predicted order; without them (the report did not ask for details, or the trace is too
long) there are only the events that make it up.
"""

from __future__ import annotations

from collections.abc import Mapping

from mazurka.lazy_dataclass import dataclass
from mazurka.replay.anchor import portable_path, source_text
from mazurka.report.details import Arrow, OrderReason
from mazurka.report.finding import Finding, FindingEvent
from mazurka.report.report import Report

#: The name of each reason for exports, where an arrow stands alone.
ARROWS: Mapping[OrderReason, str] = {
    OrderReason.READ: "reads from",
    OrderReason.LOCK: "lock handed over",
    OrderReason.FORK: "starts",
    OrderReason.JOIN: "joined",
    OrderReason.WAKE: "wakes",
}


@dataclass(frozen=True, slots=True)
class ExportedStep:
    """A step: ``number`` is that of the finding, ``label`` the thread's name for people, ``text`` the operation in
    words. ``file`` is as users know it, ``line`` 0 if it is not known. ``is_end``: no step but the end of the
    execution."""

    number: int
    thread: str
    label: str
    text: str
    operation: str
    target: str
    value: str
    file: str
    line: int
    source: str = ""
    held: tuple[str, ...] = ()
    is_relevant: bool = False
    is_conflicting: bool = False
    is_end: bool = False

    @property
    def place(self) -> str:
        """File and line ("": not known)."""
        return f"{self.file}:{self.line}" if self.line else self.file


def steps_of(finding: Finding, report: Report) -> list[ExportedStep]:
    """The steps, in the order in which they happen; at the end the failure itself, or the events that make it up."""
    events, ends = _events(finding)
    details = finding.details
    labels = dict(details.labels) if details is not None else {}
    labels = {column.thread: column.label for column in finding.explanation.columns} | labels
    relevant = frozenset(details.relevant) if details is not None else frozenset[int]()
    conflicting = frozenset(details.conflicting) if details is not None else frozenset[int]()
    held = _held(finding)
    made = []
    for place, event in enumerate((*events, *ends)):
        is_end = place >= len(events)
        made.append(
            ExportedStep(
                event.number,
                event.thread,
                labels.get(event.thread, event.thread),
                _text(event),
                event.operation,
                event.target,
                event.value,
                _file(finding, event, report.root),
                event.location.line if event.location is not None else 0,
                source_text(event.location),
                held.get(event.number, tuple([lock.name for lock in event.held])),
                is_end or event.number in relevant,
                event.number in conflicting or (is_end and not conflicting),
                is_end,
            )
        )
    return made


def arrows_of(finding: Finding) -> tuple[Arrow, ...]:
    """The arrows between steps that are exported, in the direction of time."""
    details = finding.details
    if details is None:
        return ()
    place = {event.number: at for at, event in enumerate(_events(finding)[0])}
    return tuple(
        [
            arrow
            for arrow in details.arrows
            if arrow.first in place and arrow.second in place and place[arrow.first] < place[arrow.second]
        ]
    )


def _events(finding: Finding) -> tuple[list[FindingEvent], list[FindingEvent]]:
    """The events that happen, and those that would be next."""
    if finding.failure is not None:
        last = len(finding.execution)
        return list(finding.execution), [each for each in finding.events if each.number > last]
    if finding.observed is None:
        return [], list(finding.events)
    by_number = {event.number: event for event in finding.observed.events}
    own = {event.number for event in finding.events}
    order = [by_number[number] for number in finding.observed.predicted if number in by_number and number not in own]
    return order, list(finding.events)


def _held(finding: Finding) -> dict[int, tuple[str, ...]]:
    details = finding.details
    events = finding.execution or (finding.observed.events if finding.observed is not None else ())
    if details is None or len(details.facts) != len(events):
        return {}
    return {event.number: facts.held for event, facts in zip(events, details.facts, strict=True)}


def _text(event: FindingEvent) -> str:
    return " ".join(filter(None, (event.operation, event.target))) + (f" = {event.value}" if event.value else "")


def _file(finding: Finding, event: FindingEvent, root: str) -> str:
    if event.location is None:
        return event.place
    return event.location.file if finding.predicted else portable_path(event.location.file, root)
