"""Shapes of which each is an order of steps that no thread was preempted for: something came too early, the other way
round, or not in time. See :mod:`mazurka.report.shapes`."""

from __future__ import annotations

from typing import Final

from mazurka.replay.anchor import source_text, step_location
from mazurka.report.finding import BugShape
from mazurka.report.shape_case import DECIDES, Case, Recognised
from mazurka.report.trail import accesses
from mazurka.report.words import (
    LOOKS,
    queue_method,
    queue_name,
)
from mazurka.trace.event import Op
from mazurka.trace.ids import StepIndex
from mazurka.trace.targets import Kind, kind_of

#: The kinds of locations at which the model of a queue has its items.
_QUEUES: Final = (Kind.QUEUE_END, Kind.QUEUED)


def between_calls(case: Case, look: str) -> Recognised | None:
    """Calls of a queue's methods by two threads, the first one ``look``, on which the last one relies."""
    assert case.relevant.between is not None
    first, other, last = case.relevant.between
    log = case.trail.run.log
    name = queue_name(case.words(log[first].target))
    mine, others = case.label(log[first].task), case.label(log[other].task)
    between, then = (queue_method(step_location(case.trail.run, case.program, at)) for at in (other, last))
    if not between or not then:
        return None
    ending = "waits there for ever" if case.trail.failure.waiting else "fails on it"
    if look in LOOKS:
        return BugShape.CHECK_THEN_ACT, (
            f"Check-then-act: {mine} looks at {name} by {look}(){case.at(first)}; before it calls {then}()"
            f"{case.at(last)}, {others} calls {between}(){case.at(other)}; {mine} then {ending}."
        )
    return None


def other_way_round(case: Case) -> Recognised | None:
    """Two threads did what the failing one sees in the other order than they were started in."""
    if case.relevant.swapped is None:
        return None
    early, late = case.relevant.swapped
    log = case.trail.run.log
    one, two, mine = (case.label(task) for task in (log[early].task, log[late].task, case.trail.task))
    name = case.words(log[early].target)
    does = "puts into" if kind_of(log[early].target) in _QUEUES else "changes"
    return BugShape.ORDER_VIOLATION, (
        f"Order violation: {one} {does} {name}{case.at(early)} before {two}, which was started "
        f"earlier, does{case.at(late)}; {mine} fails on that order."
    )


def missed(case: Case) -> Recognised | None:
    """A thread looked for something before another one had set it, and the failure came after that."""
    if case.relevant.missed is None:
        return None
    read, written = case.relevant.missed
    trail = case.trail
    one, other, mine = case.label(trail.task_of(read)), case.label(trail.task_of(written)), case.label(trail.task)
    target = next(
        each for each, reads, _ in accesses(trail.run.log[read]) if reads and trail.source(each, read) is None
    )
    then = "waits for ever" if trail.failure.waiting else "fails"
    ends = " and ends" if trail.run.log[trail.steps_of[trail.task_of(read)][-1]].op is Op.END else ""
    return BugShape.ORDER_VIOLATION, (
        f"Order violation: {one} looks for {case.words(target)}{case.at(read)} before {other} has set it"
        f"{case.at(written)}{ends}; {mine} {then} after that."
    )


def timed_out(case: Case) -> Recognised | None:
    """A wait ran out although another thread could have gone on meanwhile."""
    trail = case.trail
    log = trail.run.log
    waits = [index for index in trail.run.ended if index < trail.end and log[index].op is not Op.SLEEP]
    if not trail.run.lag or not waits:
        return None
    last = max(waits)
    step, seconds = log[last], trail.run.ended[StepIndex(last)]
    return BugShape.TIMEOUT, (
        f"Timeout: {case.label(step.task)} has waited for {case.words(step.target)} for {seconds:.3g} s, and goes on "
        f"without it{case.at(last)}; {case.label(trail.task)} fails after that."
    )


def told_to_end(case: Case) -> Recognised | None:
    """A thread has ended, since another one had told it to, and the failure came after that."""
    if case.relevant.ended is None:
        return None
    telling, test = case.relevant.ended
    log = case.trail.run.log
    if not DECIDES.search(source_text(step_location(case.trail.run, case.program, test))):
        return None
    one, other = case.label(log[telling].task), case.label(log[test].task)
    done = "set" if kind_of(log[telling].target) is Kind.EVENT else "changed"
    return None, (  # whether the thread had work left is not known
        f"{case.label(case.trail.task)} fails after {other} has ended{case.at(test)}: {other} saw that {one} had "
        f"{done} {case.words(log[telling].target)}{case.at(telling)}."
    )
