"""The details of a failing execution: the values and locks that steps hand to others, the steps in conflict.

Two steps *conflict* here if they show the failure in the fewest steps: the two accesses of a race; otherwise the write
of another thread that came between two accesses of one thread, with the access after it (before it, if there is none);
otherwise the first write of a change that is half done, with the read that saw it; otherwise the last read, of those
that explain the failure, which gave another thread's value, with that write. Without any of these: the last step
that explains the failure; and none if threads wait for ever: the operations that they wait for have not happened.

Cost: one pass over the steps.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from mazurka.program.memory import is_flusher
from mazurka.program.protocol import Run, Step
from mazurka.report.details import Arrow, Details, OrderReason, StepFacts
from mazurka.report.finding import FindingEvent
from mazurka.report.relevance import Relevance
from mazurka.report.trail import Trail, TrailAccess, accesses
from mazurka.report.words import is_failed_attempt, label_of, target_words
from mazurka.trace.conflicts import shown_at
from mazurka.trace.event import WRITES, Op
from mazurka.trace.ids import ThreadIndex
from mazurka.trace.targets import Kind, Target, kind_of

_HANDS: Final = {
    Op.BEGIN: OrderReason.FORK,
    Op.JOIN: OrderReason.JOIN,
    Op.ACQUIRE: OrderReason.LOCK,
    Op.READ: OrderReason.READ,
    Op.RMW: OrderReason.READ,
}


def details_of(trail: Trail, relevant: Relevance, execution: tuple[FindingEvent, ...]) -> Details:
    """The details of a run that was made with detail, up to its failure."""
    run = trail.run
    labels = tuple([(name, _label(run, ThreadIndex(task))) for task, name in enumerate(run.tasks)])
    steps = tuple(sorted(index + 1 for index in relevant.steps if index < trail.end))
    return Details(
        labels,
        tuple(_facts(run, execution)),
        tuple(_arrows(run, execution)),
        steps,
        tuple(each + 1 for each in _conflicting(trail, relevant, steps)),
    )


def _label(run: Run, task: ThreadIndex) -> str:
    return label_of(run, task) + (" (its stores)" if is_flusher(run.tasks[task]) else "")


def _facts(run: Run, execution: tuple[FindingEvent, ...]) -> Iterator[StepFacts]:
    numbers: dict[Target, int] = {}
    holding: dict[ThreadIndex, dict[Target, list[str]]] = {}
    for event, step in zip(execution, run.log, strict=False):
        held = holding.setdefault(step.task, {})
        number = numbers.setdefault(step.target, len(numbers))
        words = "attempt" if is_failed_attempt(step) else step.op.name.lower().replace("_", "-")
        yield StepFacts(words, number, tuple([names[0] for names in held.values()]))
        for op, target in _operations(step):
            if op is Op.ACQUIRE:
                name = event.target if target == step.target else target_words(run, target)
                held.setdefault(target, []).append(name)
            elif op is Op.RELEASE and target in held:
                held[target].pop()
                if not held[target]:
                    del held[target]


def _operations(step: Step) -> Iterator[tuple[Op, Target]]:
    yield step.op, step.target
    for access in step.more:
        yield access.op, access.target


def _arrows(run: Run, execution: tuple[FindingEvent, ...]) -> Iterator[Arrow]:
    last: dict[Target, int] = {}
    for index, event in enumerate(execution):
        step = run.log[index]
        given = set()
        for op, target in _operations(step):
            source = last.get(target)
            reason = _HANDS.get(op)
            if reason is not None and source is not None and run.log[source].task != step.task and source not in given:
                if kind_of(target) is Kind.WAKE:
                    reason = OrderReason.WAKE
                given.add(source)
                name = event.target if target == step.target else target_words(run, target)
                yield Arrow(source + 1, index + 1, reason, name)
        for op, target in _operations(step):
            if WRITES[op]:
                last[target] = index


def _conflicting(trail: Trail, relevant: Relevance, steps: tuple[int, ...]) -> tuple[int, ...]:
    if trail.failure.is_race:
        race = shown_at(trail.run.log, trail.end)
        return () if race is None else tuple(sorted((race.first, race.second)))
    if trail.failure.waiting:
        return ()  # the waits, which are not steps: they have not happened
    if trail.failure.events:
        return tuple(sorted({each.step for each in trail.failure.events if 0 <= each.step < trail.end}))
    for each in relevant.interferences:
        write = next((touch.index for touch in reversed(each.inside) if touch.writes), None)
        own: TrailAccess | None = each.after or each.before
        if each.unserialisable and write is not None and own is not None and own.index < trail.end:
            return tuple(sorted((write, own.index)))
    half_done = relevant.half_done
    if half_done is not None:
        return half_done.steps[:2]
    for index in sorted((number - 1 for number in steps), reverse=True):
        for target, reads, _ in accesses(trail.run.log[index]):
            source = trail.source(target, index) if reads and trail.is_shared(target) else None
            if source is not None and source.task != trail.task_of(index):
                return source.index, index
    return tuple([number - 1 for number in steps[-1:]])
