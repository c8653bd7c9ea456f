"""Shapes of failures in which threads wait for ever. See :mod:`mazurka.report.shapes`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from mazurka.program.protocol import BlockedThread, cycle_of
from mazurka.replay.anchor import source_text, step_location
from mazurka.report.finding import BugShape
from mazurka.report.order_shapes import between_calls
from mazurka.report.relevance import (
    all_operations,
    cleared_events,
    kept_locks,
    notifications,
    outdated_reads,
)
from mazurka.report.shape_case import DECIDES, Case, Recognised, value_of
from mazurka.report.trail import accesses
from mazurka.report.words import (
    awaited_words,
    label_of,
    label_of_name,
    queue_method,
)
from mazurka.trace.event import Op

#: The end of the words for a thread that is waited for.
_TO_END: Final = " to end"


def looked_at_queue(case: Case) -> Recognised | None:
    """A thread that waits for ever at a queue has looked at it before another thread changed it."""
    if case.relevant.between is None:
        return None
    look = queue_method(step_location(case.trail.run, case.program, case.relevant.between[0]))
    return between_calls(case, look) if look else None


def deadlock(case: Case) -> Recognised:
    """Threads that wait for one another, and those that wait behind them."""
    run, waiting = case.trail.run, case.trail.failure.waiting
    if len(waiting) == 1 and waiting[0].held_by == waiting[0].thread:
        label = label_of_name(run, waiting[0].thread)
        return BugShape.SELF_DEADLOCK, f"Self-deadlock: {label} waits for {waiting[0].for_what}, which it holds itself."
    cycle = cycle_of(waiting)
    behind = [f"{label_of_name(run, each.thread)} waits for {each.for_what}" for each in case.trail.failure.behind]
    rest = f" Behind that, {' and '.join(behind)}." if behind else ""
    if len(cycle) > 1:
        parts = [_holds_and_waits(run.tasks, cycle, each, case) for each in cycle]
        if any(each.for_what.endswith(_TO_END) for each in cycle):
            return BugShape.DEADLOCK, f"Deadlock: {'; '.join(parts)}.{rest}"
        return BugShape.LOCK_ORDER, f"Lock-order deadlock: {'; '.join(parts)}.{rest}"
    for each in cycle:
        if each.held_by == each.thread:
            label = label_of_name(run, each.thread)
            own = f"Self-deadlock: {label} waits for {each.for_what}, which it holds itself."
            return BugShape.SELF_DEADLOCK, own + rest
    return lost_wake_up(case) or (None, for_ever(case))


def _holds_and_waits(tasks: list[str], cycle: Sequence[BlockedThread], each: BlockedThread, case: Case) -> str:
    label = label_of_name(case.trail.run, each.thread) if each.thread in tasks else each.thread
    held = next((other.for_what for other in cycle if other.held_by == each.thread), "")
    if held.endswith(_TO_END):  # another thread waits for this one
        held = ""
    return f"{label} holds {held} and waits for {each.for_what}" if held else f"{label} waits for {each.for_what}"


def lost_wake_up(case: Case) -> Recognised | None:
    """A thread waits on a condition that was notified for the last time before."""
    trail = case.trail
    for task, name in enumerate(trail.run.tasks):
        if name not in {each.thread for each in trail.failure.waiting}:
            continue
        for index in reversed(trail.steps_of.get(task, [])):
            waits = [target for target, op in all_operations(trail, index) if op is Op.WAIT]
            early = notifications(trail, waits[0], index) if waits else []
            if early and not notifications(trail, waits[0], trail.end)[0] > index:
                notifier = label_of(trail.run, trail.run.log[early[0]].task)
                return BugShape.LOST_WAKE_UP, (
                    f"Lost wake-up: {notifier} notifies {case.words(waits[0])} before any thread waits on it; "
                    f"{label_of_name(trail.run, name)} waits afterwards, and no thread is left to wake it."
                )
            if waits:
                break
    return None


def cleared_event(case: Case) -> Recognised | None:
    """A thread waits for an event that was set, and cleared again."""
    found = cleared_events(case.trail)
    if not found:
        return None
    log = case.trail.run.log
    setting, clearing = found[0]
    waiting = label_of_name(case.trail.run, case.trail.failure.waiting[0].thread)
    one, other = case.label(log[setting].task), case.label(log[clearing].task)
    return BugShape.LOST_WAKE_UP, (
        f"Lost wake-up: {one} sets {case.words(log[setting].target)}; then {other} clears it{case.at(clearing)}; "
        f"{waiting} waits for it, and no thread is left to set it again."
    )


def kept_lock(case: Case) -> Recognised | None:
    """A thread that has ended took what another one waits for."""
    found = kept_locks(case.trail)
    if not found:
        return None
    log = case.trail.run.log
    taken, _ = found[0]
    waiting = " and ".join(label_of_name(case.trail.run, each.thread) for each in case.trail.failure.waiting)
    return BugShape.LOCK_KEPT, (
        f"Lock never released: {case.label(log[taken].task)} takes {case.words(log[taken].target)}{case.at(taken)} and "
        f"ends without releasing it; {waiting} can't take it any more."
    )


def outdated_wait(case: Case) -> Recognised | None:
    """A thread waits for ever that had looked before another thread changed what it saw."""
    for read, change in outdated_reads(case.trail):
        log = case.trail.run.log
        location = step_location(case.trail.run, case.program, read)
        if not DECIDES.search(source_text(location)):
            continue
        target = next(each for each, reads, _ in accesses(log[read]) if reads and case.trail.is_shared(each))
        mine, other = case.label(log[read].task), case.label(log[change].task)
        return BugShape.CHECK_THEN_ACT, (
            f"Check-then-act: {mine} looks at {case.words(target)}{value_of(case, log[read])}; then {other} changes "
            f"it{case.at(change)}; {mine} does not look again, but waits, and no thread is left to wake it."
        )
    return None


def for_ever(case: Case) -> str:
    """The neutral sentence: which threads wait, and for what."""
    run, waiting = case.trail.run, case.trail.failure.waiting
    if not waiting:
        return "The threads below are blocked forever."
    if run.again:
        names = " and ".join([label_of_name(run, each.thread) for each in waiting])
        loop = "loop" if len(waiting) > 1 else "loops"
        return f"{names} {loop} for ever: no order of the threads ends the loops."
    awaited = {awaited_words(run, each) for each in waiting}
    if len(waiting) > 1 and len(awaited) == 1 and not any(each.held_by for each in waiting):
        labels = [label_of_name(run, each.thread) for each in waiting]
        names = " and ".join([*labels[:4], *([f"{len(labels) - 4} others"] if len(labels) > 4 else [])])
        return f"{names} wait for {awaited.pop()}, and no thread is left to bring it about: blocked forever."
    parts = [
        f"{label_of_name(run, each.thread)} waits for {awaited_words(run, each)}{_held(run.tasks, each, case)}"
        for each in waiting
    ]
    if len(parts) == 1 and any(run.tasks[each.task] == waiting[0].thread and each.repeats for each in run.blocked):
        parts[0] += ", which no thread is left to bring about"
    return f"{'; '.join(parts[:4])}: blocked forever."


def _held(tasks: list[str], each: BlockedThread, case: Case) -> str:
    if not each.held_by:
        return ""
    return f", held by {label_of_name(case.trail.run, each.held_by) if each.held_by in tasks else each.held_by}"
