"""An execution as a report has it: all of its steps in words, and those that make up its failure.

The steps that make up a failure are, for a race, its two accesses; for threads that wait for ever the next operation of
each; otherwise the failure of the thread, right after its last step.

Cost: one pass over the steps. Each target, value and place is put into words once.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import field
from typing import Any

from mazurka.lazy_dataclass import dataclass
from mazurka.program.protocol import Failure, Program, Run
from mazurka.replay.anchor import step_location
from mazurka.replay.switches import steps_until
from mazurka.report.finding import FindingEvent, HeldLock
from mazurka.report.words import is_failed_attempt, numbered, operation_words, target_words, value_words
from mazurka.trace.conflicts import shown_at
from mazurka.trace.event import READS, WRITES, Location, Op
from mazurka.trace.targets import Target


@dataclass(slots=True)
class _StepWords:
    """The words for a run's steps, each made once."""

    run: Run
    program: Program
    numbers: dict[str, str] = field(init=False)
    targets: dict[Target, str] = field(default_factory=dict)
    values: dict[Any, str] = field(default_factory=dict)
    sites: dict[int, Location | None] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.numbers = numbered(self.run)

    def target(self, target: Target) -> str:
        if target not in self.targets:
            self.targets[target] = target_words(self.run, target, self.numbers)
        return self.targets[target]

    def value(self, value: object) -> str:
        text = value if isinstance(value, str) else repr(value)
        if text not in self.values:
            self.values[text] = value_words(self.run, text, self.numbers)
        return self.values[text]

    def location(self, index: int) -> Location | None:
        site = self.run.log[index].site
        if not site:
            return step_location(self.run, self.program, index)
        if site not in self.sites:
            self.sites[site] = step_location(self.run, self.program, index)
        return self.sites[site]


def execution_of(run: Run, failure: Failure, program: Program) -> tuple[FindingEvent, ...]:
    """All steps up to the failure of a run that was made with detail."""
    words = _StepWords(run, program)
    return tuple([_event(words, index) for index in range(steps_until(run, failure))])


def _event(words: _StepWords, index: int) -> FindingEvent:
    run, step = words.run, words.run.log[index]
    shown = step.value is not None and (READS[step.op] or WRITES[step.op]) and not is_failed_attempt(step)
    return FindingEvent(
        index + 1,
        run.tasks[step.task],
        operation_words(step),
        words.target(step.target),
        words.location(index),
        value=words.value(step.value) if shown else "",
    )


def events_of(run: Run, failure: Failure, execution: tuple[FindingEvent, ...]) -> tuple[FindingEvent, ...]:
    """The events that make up a failure, each with the locks that its thread holds there."""
    race = shown_at(run.log, len(execution)) if failure.is_race else None
    if race is not None:
        return tuple([_holding(run, execution[index], execution) for index in (race.first, race.second)])
    number = len(execution) + 1
    if failure.waiting:
        stuck = [
            FindingEvent(number, each.thread, "waits for", each.for_what, each.location) for each in failure.waiting
        ]
        return tuple([_holding(run, each, execution) for each in stuck])
    cause = failure.exception or failure.kind_name
    failing = FindingEvent(number, failure.thread, "fails with", cause, failure.location)
    return (_holding(run, failing, execution),)


def _holding(run: Run, event: FindingEvent, execution: tuple[FindingEvent, ...]) -> FindingEvent:
    """The event with the locks that its thread holds before it, in the order in which they were acquired."""
    depth: dict[Target, int] = {}
    since: dict[Target, int] = {}
    for index, op, target in _lockings(run, event):
        depth[target] = max(depth.get(target, 0) + (1 if op is Op.ACQUIRE else -1), 0)
        if not depth[target]:
            since.pop(target, None)
        else:
            since.setdefault(target, index)
    held = tuple([HeldLock(execution[index].target, index + 1) for index in since.values()])
    return FindingEvent(
        event.number, event.thread, event.operation, event.target, event.location, event.place, event.value, held
    )


def _lockings(run: Run, event: FindingEvent) -> Iterator[tuple[int, Op, Target]]:
    """The acquires and releases of an event's thread before it."""
    for index, step in enumerate(run.log[: event.number - 1]):
        if run.tasks[step.task] == event.thread:
            for op, target in ((step.op, step.target), *((each.op, each.target) for each in step.more)):
                if op is Op.ACQUIRE or op is Op.RELEASE:
                    yield index, op, target
