"""Recognises the known shapes of concurrency bugs in a failing run, and describes the failure in a sentence.

A shape is claimed only if the run shows it:

- *lost update*: a thread read a target, others read and wrote it, then the thread wrote it without reading it again;
- *check-then-act*: a thread read a target; others changed it; the thread's next access, which relied on the value read,
  failed, or the line of the first read is a test and the thread acted on its outcome;
- *order violation*: the failing thread read a location that no thread had written yet; another thread wrote it later in
  the same run;
- *unsafe publication*: an order violation in which the failing thread got the object from a write by that other thread;
- *iteration invalidated*: CPython's own error says so, and another thread had changed the container;
- *generator in use*: CPython's own error says so, and another thread had resumed the generator, or coroutine, last;
- *lock-order deadlock*, *self-deadlock*: the failure's cycle of waiting threads;
- *torn update*: the failing thread read a target that another thread had changed, and a second one that that thread
  changed only later in the same run;
- *delayed store*: another thread read a location before a store had reached it (report/stores.py defines when that
  counts);
- *deadlock* in general: some of them wait for another one to end;
- *lost wake-up*: a thread waits for ever on a condition that was notified, or an event that was set and cleared again,
  before it waited, for the last time;
- *lock never released*: the thread that took it has ended;
- *timeout*: a wait ran out although threads could have gone on meanwhile, and no shape above explains the failure;
- *atomicity violation*: others changed a target between two accesses of a thread, and no order without that gives the
  same values.

Other failures get a neutral sentence.
"""

from __future__ import annotations

import os
import re
from typing import Final

from mazurka.program.protocol import FailureKind, Program
from mazurka.replay.anchor import step_location
from mazurka.report.finding import BugShape
from mazurka.report.order_shapes import between_calls, missed, other_way_round, timed_out, told_to_end
from mazurka.report.relevance import (
    UNSET,
    Relevance,
    all_operations,
)
from mazurka.report.shape_case import DECIDES, Case, Recognised, value_of
from mazurka.report.stuck_shapes import (
    cleared_event,
    deadlock,
    for_ever,
    kept_lock,
    looked_at_queue,
    lost_wake_up,
    outdated_wait,
)
from mazurka.report.trail import Trail, TrailAccess, accesses
from mazurka.report.words import (
    label_of_name,
    queue_method,
    verb,
)
from mazurka.trace.conflicts import Shown, shown_at
from mazurka.trace.event import READS, WRITES, Op
from mazurka.trace.targets import Kind, Target, kind_of

_STORES: Final = re.compile(r"(\]|^\w+(?:\.\w+)*)\s*(\+|-|\*|\||&|\^|//|/|%|<<|>>|@|\*\*)?=(?!=)")
_TESTS: Final = re.compile(r"^(if|elif|while|assert)\b")
_CHANGED_WHILE_ITERATED: Final = re.compile(r"(changed size|mutated|keys changed|changed) during iteration")
_IN_USE: Final = re.compile(
    r"(ValueError: (async )?(generator|coroutine) already executing"
    r"|RuntimeError: (coroutine is being awaited already|\w+\(\): asynchronous generator is already running))"
)
_NOT_THERE_YET: Final = ("AttributeError", "NameError", "UnboundLocalError", "KeyError", "TypeError", "IndexError")

#: The texts by which a front end reports a missing value, or None where it reports none.
_UNSET: Final = (None, *UNSET)


def recognise(trail: Trail, relevant: Relevance, program: Program) -> Recognised:
    """The shape of a failure, if it is a known one, and a sentence in any case."""
    case = Case(trail, relevant, program)
    match trail.failure.kind:
        case FailureKind.DEADLOCK:
            return deadlock(case)
        case FailureKind.BLOCKED:
            known = (looked_at_queue, lost_wake_up, cleared_event, kept_lock, outdated_wait, missed)
            return next((found for each in known if (found := each(case)) is not None), (None, for_ever(case)))
        case FailureKind.LIVELOCK:
            return None, for_ever(case)
        case FailureKind.RACE if race := shown_at(trail.run.log, trail.end):
            return BugShape.DATA_RACE, _race(case, race)
        case FailureKind.PROPERTY:
            return None, _property(case)
        case FailureKind.NONDETERMINISM:
            return (
                None,
                "The program behaves differently under the same schedule, so its failure can't be explained.",
            )
    shapes = (
        _delayed_store,
        _iteration,
        _in_use,
        _too_early,
        _unchecked_wait,
        _lost_update,
        _check_then_act,
        _torn_update,
        _atomicity,
        other_way_round,
        missed,
        timed_out,
        told_to_end,
    )
    return next((found for each in shapes if (found := each(case)) is not None), (None, _neutral(case)))


def _property(case: Case) -> str:
    """The events that violate a property, with their threads and places."""
    failure = case.trail.failure
    done = []
    for each in failure.events:
        place = f" at {os.path.basename(each.location.file)}:{each.location.line}" if each.location is not None else ""
        who = label_of_name(case.trail.run, each.thread)
        done.append(f"{each.event}({', '.join(each.objects)}) by {who}{place}")
    return f"The property {failure.rule} is violated: {', then '.join(done)}."


def _race(case: Case, race: Shown) -> str:
    log = case.trail.run.log
    one, other = (case.label(log[step].task) for step in (race.first, race.second))
    return (
        f"Data race: {one} {verb(race.ops[0])} {case.words(race.target)}, {other} {verb(race.ops[1])} it, and the two "
        "are not ordered: either can come first. Where threads run in parallel, they can coincide."
    )


# -- data
# -----------------------------------------------------------------------------------------------------------------


def _delayed_store(case: Case) -> Recognised | None:
    if not case.relevant.late:
        return None
    log = case.trail.run.log
    late = max(case.relevant.late, key=lambda each: (READS[log[each.missed].op], each.missed))
    store, missed, overtaker = log[late.store], log[late.missed], log[late.overtaker]
    name, mine, other = case.words(late.target), case.label(store.task), case.label(missed.task)
    when = f"{other} reads {name}" if READS[missed.op] else f"that by {other} of {name}"
    does = "" if READS[missed.op] else " does"
    later = case.words(overtaker.target)
    then = f"its later store of {later} has" if WRITES[overtaker.op] else f"{mine} has already read {later}"
    return BugShape.DELAYED_STORE, (
        f"Delayed store: the store by {mine} of {name}{value_of(case, store)} has not reached memory when "
        f"{when}{value_of(case, missed)}{does}, although {then}. A fence or a lock between the two forbids that."
    )


def _lost_update(case: Case) -> Recognised | None:
    for each in case.relevant.interferences:
        before, after = each.before, each.after
        if before is None or after is None or not before.reads or not after.writes:
            continue
        if after.reads and not _STORES.search(case.text(after)):  # a store of a new key also reads that it is missing
            continue
        if _TESTS.search(case.text(before)):  # the value read decided whether to write, not the value written
            continue
        readers = {touch.task for touch in each.inside if touch.reads}
        lost = [
            touch
            for touch in each.inside
            if touch.writes and (touch.task in readers or _has_read(case, each.target, touch))
        ]
        if lost:
            name, other, mine = case.words(each.target), case.label(lost[-1].task), case.label(each.gap.task)
            inside = lost[-1].task in readers
            reads = "reads and writes" if inside else "which has read it before, writes"
            return BugShape.LOST_UPDATE, (
                f"Lost update: {mine} reads {name}{case.value(before)}; before it writes that back, "
                f"{other}{'' if inside else ','} {reads} {name}{case.value(lost[-1])}; {mine} then overwrites it"
                f"{_with(case.value(after))} without having seen it."
            )
    return None


def _has_read(case: Case, target: Target, write: TrailAccess) -> bool:
    """Whether a thread has read what it writes, in the write or in its access before that."""
    before = [touch for touch in case.trail.own(target, write.task) if touch.index < write.index]
    return write.reads or bool(before and before[-1].reads)


def _with(value: str) -> str:
    return f" with{value[2:]}" if value else ""


def _check_then_act(case: Case) -> Recognised | None:
    saw = _fatal_writes(case)
    for each in case.relevant.interferences:
        before, after = each.before, each.after
        writes = {touch.index for touch in each.inside if touch.writes}
        if before is None or not before.reads or not writes:
            continue
        own = case.trail.task == each.gap.task
        failing = own and (bool(writes & saw) or (after is not None and after.index in case.relevant.seeds))
        if not failing and not (each.gap.preemptive and after is not None and DECIDES.search(case.text(before))):
            continue
        mine, name, others = case.label(each.gap.task), case.words(each.target), case.others(each)
        ending = "fails on it" if failing else "acts on an outdated value"
        return BugShape.CHECK_THEN_ACT, (
            f"Check-then-act: {mine} looks at {name}{case.value(before)}; before it acts on that, {others} it; "
            f"{mine} then {ending}."
        )
    return _between_sections(case)


def _unchecked_wait(case: Case) -> Recognised | None:
    """A thread has waited once for what it had tested, and hasn't tested it again."""
    trail = case.trail
    for each in case.relevant.interferences:
        before, after = each.before, each.after
        if before is None or after is None or not before.reads or not any(touch.writes for touch in each.inside):
            continue
        steps = [index for index in trail.steps_of[each.gap.task] if before.index < index <= after.index]
        waited = [target for index in steps for target, op in all_operations(trail, index) if op is Op.WAIT]
        if not waited or not _TESTS.search(case.text(before)):
            continue
        looks = [
            index
            for index in steps
            if any(reads and trail.is_shared(at) for at, reads, _ in accesses(trail.run.log[index]))
        ]
        if all(case.at(index) != case.place(before) for index in looks):
            mine, name = case.label(each.gap.task), case.words(each.target)
            return BugShape.CHECK_THEN_ACT, (
                f"Check-then-act: {mine} looks at {name}{case.value(before)} and waits for {case.words(waited[0])}; "
                f"{case.others(each)} {name}; woken, {mine} goes on without looking again: the wait needs a loop."
            )
    return None


def _between_sections(case: Case) -> Recognised | None:
    """What two critical sections of the failing thread rely on has been changed in one of another thread between
    them."""
    if case.relevant.between is None:
        return None
    first, other, _ = case.relevant.between
    log = case.trail.run.log
    mine, others = case.label(log[first].task), case.label(log[other].task)
    if look := queue_method(step_location(case.trail.run, case.program, first)):
        return between_calls(case, look)
    name = case.words(log[first].target).removesuffix(".mutex").removesuffix("._lock")
    return BugShape.CHECK_THEN_ACT, (
        f"Check-then-act: {mine} looks at {name}; before it acts on that, {others} changes it; {mine} then fails on it."
    )


def _fatal_writes(case: Case) -> set[int]:
    """The steps of other threads whose effect the failing thread saw last, if it ended with an exception."""
    if case.trail.failure.kind is not FailureKind.EXCEPTION or not case.relevant.seeds:
        return set()
    last = case.relevant.seeds[-1]
    sources = [case.trail.source(target, last) for target, reads, _ in accesses(case.trail.run.log[last]) if reads]
    return {source.index for source in sources if source is not None and source.task != case.trail.task}


def _iteration(case: Case) -> Recognised | None:
    failure = case.trail.failure
    if failure.exception != "RuntimeError" or not _CHANGED_WHILE_ITERATED.search(failure.message):
        return None
    for each in case.relevant.interferences:
        if each.gap.task == case.trail.task and any(touch.writes for touch in each.inside):
            container, _, _ = case.words(each.target).partition(" (")
            return BugShape.ITERATION, (
                f"Iteration invalidated: {case.label(each.gap.task)} iterates over {container}; "
                f"{case.others(each)} it before the iteration has ended."
            )
    return None


def _in_use(case: Case) -> Recognised | None:
    if not _IN_USE.match(case.trail.failure.message):
        return None
    for index in reversed(case.relevant.seeds):
        for target, _, _ in accesses(case.trail.run.log[index]):
            source = case.trail.source(target, index)
            if kind_of(target) is Kind.OBJECT and source is not None and source.task != case.trail.task:
                name, _, _ = case.words(target).partition(" (")
                return BugShape.IN_USE, (
                    f"Generator in use: {case.label(case.trail.task)} resumes {name} while "
                    f"{case.label(source.task)}, which has resumed it before, is still running it."
                )
    return None


def _too_early(case: Case) -> Recognised | None:
    """An order violation or an unsafe publication."""
    trail = case.trail
    if trail.failure.exception not in _NOT_THERE_YET:
        return None
    mine = case.label(trail.task)
    for index in reversed(case.relevant.seeds):
        for target, reads, _ in accesses(trail.run.log[index]):
            later = trail.later_writer(target, trail.task)
            unset = trail.source(target, index) is None and trail.run.log[index].value in _UNSET
            if not reads or later is None or not unset:
                continue
            other, name = case.label(later.task), case.words(target)
            published = _published_by(trail, later.task, index)
            if published is not None and kind_of(target) is Kind.ATTRIBUTE:
                return BugShape.UNSAFE_PUBLICATION, (
                    f"Unsafe publication: {other} makes the object visible through {case.words(published)} before it "
                    f"has set {name}{case.place(later)}; {mine} finds it there and uses {name} too early."
                )
            return (
                BugShape.ORDER_VIOLATION,
                f"Order violation: {mine} uses {name} before {other} has set it{case.place(later)}.",
            )
    return None


def _published_by(trail: Trail, task: int, index: int) -> Target | None:
    """The target of the failing thread's last read, before a step, from a write of the given thread."""
    for at in reversed([step for step in trail.steps_of.get(trail.task, []) if step < index]):
        for target, reads, _ in accesses(trail.run.log[at]):
            source = trail.source(target, at) if reads and trail.is_shared(target) else None
            if source is not None and source.task == task:
                return target
    return None


def _torn_update(case: Case) -> Recognised | None:
    found = case.relevant.half_done
    if found is None:
        return None
    other, mine = case.label(found.task), case.label(case.trail.task)
    return BugShape.TORN_UPDATE, (
        f"Torn update: {other} has changed {case.words(found.changed)}, but not yet {case.words(found.missing)}; "
        f"{mine} sees the state in between and fails on it."
    )


def _atomicity(case: Case) -> Recognised | None:
    """Another thread's accesses come between two of one thread that belong together."""
    for each in case.relevant.interferences:
        if not each.gap.preemptive or each.before is None:
            continue
        name, mine, others = case.words(each.target), case.label(each.gap.task), case.others(each)
        if each.unserialisable and each.after is not None and others:
            first, second = (verb(case.step(touch).op) for touch in (each.before, each.after))
            again = " again" if first == second else ""
            return BugShape.ATOMICITY, (
                f"Atomicity violation: {mine} {first} {name}{case.value(each.before)}; before it {second} it{again}, "
                f"{others} it."
            )
        if each.after is None and each.before.reads and others and _TESTS.search(case.text(each.before)):
            return BugShape.CHECK_THEN_ACT, (
                f"Check-then-act: {mine} looks at {name}{case.value(each.before)}; before it acts on that, {others} "
                f"it; {mine} then acts on an outdated value."
            )
    return None


def _neutral(case: Case) -> str:
    failing = case.label(case.trail.task)
    for index in reversed(case.relevant.seeds):
        for target, reads, _ in accesses(case.trail.run.log[index]):
            source = case.trail.source(target, index) if reads and case.trail.is_shared(target) else None
            if source is not None and source.task != case.trail.task:
                other = case.label(source.task)
                if kind_of(target) is Kind.QUEUED:
                    return f"{failing} fails after it has got from {case.words(target)} what {other} had put there."
                step = case.trail.run.log[index]
                name = f"{case.words(target)}{value_of(case, step) if step.target == target else ''}"
                return f"{failing} fails after it has read {name} as {other} left it, in the order below."
    if all(step.task == case.trail.task for step in case.trail.run.log):
        return f"{failing} fails before any other thread has taken a step."
    return f"{failing} fails in the order below."
