"""Recognises the known shapes of concurrency bugs in a failing run, and describes the failure in a sentence.

A shape is claimed only if the run shows it:

- *lost update*: a thread read a target, others read and wrote it, then the thread wrote it without reading it again;
- *check-then-act*: a thread read a target; others changed it; the thread's next access, which relied on the value read,
  failed, or the line of the first read is a test and the thread acted on its outcome;
- *order violation*: the failing thread read a location that no thread had written yet; another thread wrote it later in
  the same run;
- *unsafe publication*: an order violation in which the failing thread got the object from a write by that other thread;
- *iteration invalidated*: CPython's own error says so, and another thread had changed the container;
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

from mazurka.lazy_dataclass import dataclass
from mazurka.program.protocol import BlockedThread, FailureKind, Program, Step
from mazurka.replay.anchor import caller_of, source_text, step_location
from mazurka.report.finding import BugShape
from mazurka.report.relevance import (
    UNSET,
    Relevance,
    all_operations,
    cleared_events,
    kept_locks,
    notifications,
    outdated_reads,
)
from mazurka.report.trail import Interference, Trail, TrailAccess, accesses
from mazurka.report.words import (
    LOOKS,
    awaited_words,
    is_name_of,
    label_of,
    label_of_name,
    queue_method,
    queue_name,
    target_words,
    value_words,
    verb,
)
from mazurka.trace.conflicts import Shown, shown_at
from mazurka.trace.event import READS, WRITES, Op
from mazurka.trace.ids import StepIndex, ThreadIndex
from mazurka.trace.targets import Kind, Target, kind_of

_DECIDES: Final = re.compile(r"\b(if|elif|while|assert|and|or|not|in|is|any|all|len)\b|[<>]|==|!=")
_STORES: Final = re.compile(r"(\]|^\w+(?:\.\w+)*)\s*(\+|-|\*|\||&|\^|//|/|%|<<|>>|@|\*\*)?=(?!=)")
_TESTS: Final = re.compile(r"^(if|elif|while|assert)\b")
_CHANGED_WHILE_ITERATED: Final = re.compile(r"(changed size|mutated|keys changed|changed) during iteration")
_NOT_THERE_YET: Final = ("AttributeError", "NameError", "UnboundLocalError", "KeyError", "TypeError", "IndexError")

#: The texts by which a front end reports a missing value, or None where it reports none.
_UNSET: Final = (None, *UNSET)

#: The kinds of locations at which the model of a queue has its items.
_QUEUES: Final = (Kind.QUEUE_END, Kind.QUEUED)

#: The end of the words for a thread that is waited for.
_TO_END: Final = " to end"

#: A shape, or None, and the sentence.
Recognised = tuple[BugShape | None, str]


@dataclass(frozen=True, slots=True)
class _Case:
    """The data about a failure."""

    trail: Trail
    relevant: Relevance
    program: Program

    def label(self, task: ThreadIndex) -> str:
        return label_of(self.trail.run, task)

    def words(self, target: Target) -> str:
        return target_words(self.trail.run, target)

    def step(self, touch: TrailAccess) -> Step:
        return self.trail.run.log[touch.index]

    def text(self, touch: TrailAccess) -> str:
        return source_text(step_location(self.trail.run, self.program, touch.index))

    def place(self, touch: TrailAccess) -> str:
        return self.at(touch.index)

    def at(self, index: int) -> str:
        location = step_location(self.trail.run, self.program, index)
        caller = caller_of(location, self.trail.run.stacks.get(StepIndex(index), ()))
        location = caller.location if caller is not None else location
        return f" ({os.path.basename(location.file)}:{location.line})" if location is not None else ""

    def value(self, touch: TrailAccess) -> str:
        step = self.step(touch)
        value = value_words(self.trail.run, step.value) if step.value is not None else ""
        return f" = {value}" if value and not is_name_of(self.words(step.target), value) else ""

    def others(self, each: Interference) -> str:
        """The threads that change a target while a thread is stopped, with the verb: ``A changes``, ``A and B
        change``."""
        names = dict.fromkeys(self.label(touch.task) for touch in each.inside if touch.writes)
        return f"{' and '.join(names)} {'changes' if len(names) == 1 else 'change'}" if names else ""


def recognise(trail: Trail, relevant: Relevance, program: Program) -> Recognised:
    """The shape of a failure, if it is a known one, and a sentence in any case."""
    case = _Case(trail, relevant, program)
    match trail.failure.kind:
        case FailureKind.DEADLOCK:
            return _deadlock(case)
        case FailureKind.BLOCKED:
            known = (_looked_at_queue, _lost_wake_up, _cleared_event, _kept_lock, _outdated_wait, _missed)
            return next((found for each in known if (found := each(case)) is not None), (None, _for_ever(case)))
        case FailureKind.LIVELOCK:
            return None, _for_ever(case)
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
        _too_early,
        _unchecked_wait,
        _lost_update,
        _check_then_act,
        _torn_update,
        _atomicity,
        _other_way_round,
        _missed,
        _timed_out,
        _told_to_end,
    )
    return next((found for each in shapes if (found := each(case)) is not None), (None, _neutral(case)))


def _property(case: _Case) -> str:
    """The events that violate a property, with their threads and places."""
    failure = case.trail.failure
    done = []
    for each in failure.events:
        place = f" at {os.path.basename(each.location.file)}:{each.location.line}" if each.location is not None else ""
        who = label_of_name(case.trail.run, each.thread)
        done.append(f"{each.event}({', '.join(each.objects)}) by {who}{place}")
    return f"The property {failure.rule} is violated: {', then '.join(done)}."


def _race(case: _Case, race: Shown) -> str:
    log = case.trail.run.log
    one, other = (case.label(log[step].task) for step in (race.first, race.second))
    return (
        f"Data race: {one} {verb(race.ops[0])} {case.words(race.target)}, {other} {verb(race.ops[1])} it, and the two "
        "are not ordered: either can come first. Where threads run in parallel, they can coincide."
    )


# -- data
# -----------------------------------------------------------------------------------------------------------------


def _delayed_store(case: _Case) -> Recognised | None:
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
        f"Delayed store: the store by {mine} of {name}{_value_of(case, store)} has not reached memory when "
        f"{when}{_value_of(case, missed)}{does}, although {then}. A fence or a lock between the two forbids that."
    )


def _value_of(case: _Case, step: Step) -> str:
    return f" = {value_words(case.trail.run, step.value)}" if step.value is not None else ""


def _lost_update(case: _Case) -> Recognised | None:
    for each in case.relevant.interferences:
        before, after = each.before, each.after
        if before is None or after is None or not before.reads or not after.writes:
            continue
        if after.reads and not _STORES.search(case.text(after)):  # a store of a new key also reads that it is missing
            continue
        if _TESTS.search(case.text(before)):  # the value read decided whether to write, not the value written
            continue
        readers = {touch.task for touch in each.inside if touch.reads}
        lost = [touch for touch in each.inside if touch.writes and touch.task in readers]
        if lost:
            name, other, mine = case.words(each.target), case.label(lost[-1].task), case.label(each.gap.task)
            return BugShape.LOST_UPDATE, (
                f"Lost update: {mine} reads {name}{case.value(before)}; before it writes that back, {other} reads "
                f"and writes {name}{case.value(lost[-1])}; {mine} then overwrites it{_with(case.value(after))} "
                "without having seen it."
            )
    return None


def _with(value: str) -> str:
    return f" with{value[2:]}" if value else ""


def _check_then_act(case: _Case) -> Recognised | None:
    saw = _fatal_writes(case)
    for each in case.relevant.interferences:
        before, after = each.before, each.after
        writes = {touch.index for touch in each.inside if touch.writes}
        if before is None or not before.reads or not writes:
            continue
        own = case.trail.task == each.gap.task
        failing = own and (bool(writes & saw) or (after is not None and after.index in case.relevant.seeds))
        if not failing and not (each.gap.preemptive and after is not None and _DECIDES.search(case.text(before))):
            continue
        mine, name, others = case.label(each.gap.task), case.words(each.target), case.others(each)
        ending = "fails on it" if failing else "acts on an outdated value"
        return BugShape.CHECK_THEN_ACT, (
            f"Check-then-act: {mine} looks at {name}{case.value(before)}; before it acts on that, {others} it; "
            f"{mine} then {ending}."
        )
    return _between_sections(case)


def _unchecked_wait(case: _Case) -> Recognised | None:
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


def _between_sections(case: _Case) -> Recognised | None:
    """What two critical sections of the failing thread rely on has been changed in one of another thread between
    them."""
    if case.relevant.between is None:
        return None
    first, other, _ = case.relevant.between
    log = case.trail.run.log
    mine, others = case.label(log[first].task), case.label(log[other].task)
    if look := queue_method(step_location(case.trail.run, case.program, first)):
        return _between_calls(case, look)
    name = case.words(log[first].target).removesuffix(".mutex").removesuffix("._lock")
    return BugShape.CHECK_THEN_ACT, (
        f"Check-then-act: {mine} looks at {name}; before it acts on that, {others} changes it; {mine} then fails on it."
    )


def _between_calls(case: _Case, look: str) -> Recognised | None:
    """The same, where the sections are calls of a queue's methods, the first one ``look``."""
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


def _looked_at_queue(case: _Case) -> Recognised | None:
    """A thread that waits for ever at a queue has looked at it before another thread changed it."""
    if case.relevant.between is None:
        return None
    look = queue_method(step_location(case.trail.run, case.program, case.relevant.between[0]))
    return _between_calls(case, look) if look else None


def _fatal_writes(case: _Case) -> set[int]:
    """The steps of other threads whose effect the failing thread saw last, if it ended with an exception."""
    if case.trail.failure.kind is not FailureKind.EXCEPTION or not case.relevant.seeds:
        return set()
    last = case.relevant.seeds[-1]
    sources = [case.trail.source(target, last) for target, reads, _ in accesses(case.trail.run.log[last]) if reads]
    return {source.index for source in sources if source is not None and source.task != case.trail.task}


def _iteration(case: _Case) -> Recognised | None:
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


def _too_early(case: _Case) -> Recognised | None:
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


def _other_way_round(case: _Case) -> Recognised | None:
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


def _missed(case: _Case) -> Recognised | None:
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


def _timed_out(case: _Case) -> Recognised | None:
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


def _told_to_end(case: _Case) -> Recognised | None:
    if case.relevant.ended is None:
        return None
    telling, test = case.relevant.ended
    log = case.trail.run.log
    if not _DECIDES.search(source_text(step_location(case.trail.run, case.program, test))):
        return None
    one, other = case.label(log[telling].task), case.label(log[test].task)
    done = "set" if kind_of(log[telling].target) is Kind.EVENT else "changed"
    return None, (  # whether the thread had work left is not known
        f"{case.label(case.trail.task)} fails after {other} has ended{case.at(test)}: {other} saw that {one} had "
        f"{done} {case.words(log[telling].target)}{case.at(telling)}."
    )


def _published_by(trail: Trail, task: int, index: int) -> Target | None:
    """The target of the failing thread's last read, before a step, from a write of the given thread."""
    for at in reversed([step for step in trail.steps_of.get(trail.task, []) if step < index]):
        for target, reads, _ in accesses(trail.run.log[at]):
            source = trail.source(target, at) if reads and trail.is_shared(target) else None
            if source is not None and source.task == task:
                return target
    return None


def _torn_update(case: _Case) -> Recognised | None:
    found = case.relevant.half_done
    if found is None:
        return None
    other, mine = case.label(found.task), case.label(case.trail.task)
    return BugShape.TORN_UPDATE, (
        f"Torn update: {other} has changed {case.words(found.changed)}, but not yet {case.words(found.missing)}; "
        f"{mine} sees the state in between and fails on it."
    )


def _atomicity(case: _Case) -> Recognised | None:
    """Another thread's accesses come between two of one thread that belong together."""
    for each in case.relevant.interferences:
        if not each.gap.preemptive or each.before is None:
            continue
        name, mine, others = case.words(each.target), case.label(each.gap.task), case.others(each)
        if each.unserialisable and each.after is not None and others:
            first, second = ("reads" if touch.reads else "writes" for touch in (each.before, each.after))
            return BugShape.ATOMICITY, (
                f"Atomicity violation: {mine} {first} {name}{case.value(each.before)}; before it {second} it again, "
                f"{others} it."
            )
        if each.after is None and each.before.reads and others and _TESTS.search(case.text(each.before)):
            return BugShape.CHECK_THEN_ACT, (
                f"Check-then-act: {mine} looks at {name}{case.value(each.before)}; before it acts on that, {others} "
                f"it; {mine} then acts on an outdated value."
            )
    return None


def _neutral(case: _Case) -> str:
    failing = case.label(case.trail.task)
    for index in reversed(case.relevant.seeds):
        for target, reads, _ in accesses(case.trail.run.log[index]):
            source = case.trail.source(target, index) if reads and case.trail.is_shared(target) else None
            if source is not None and source.task != case.trail.task:
                other = case.label(source.task)
                if kind_of(target) is Kind.QUEUED:
                    return f"{failing} fails after it has got from {case.words(target)} what {other} had put there."
                return f"{failing} fails after it has read {case.words(target)} as {other} left it, in the order below."
    if all(step.task == case.trail.task for step in case.trail.run.log):
        return f"{failing} fails before any other thread has taken a step."
    return f"{failing} fails in the order below."


# -- waiting for ever
# -------------------------------------------------------------------------------------------------------


def _deadlock(case: _Case) -> Recognised:
    run, waiting = case.trail.run, case.trail.failure.waiting
    if len(waiting) == 1 and waiting[0].held_by == waiting[0].thread:
        label = label_of_name(run, waiting[0].thread)
        return BugShape.SELF_DEADLOCK, f"Self-deadlock: {label} waits for {waiting[0].for_what}, which it holds itself."
    cycle = _cycle(waiting)
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
    return _lost_wake_up(case) or (None, _for_ever(case))


def _cycle(waiting: tuple[BlockedThread, ...]) -> list[BlockedThread]:
    """The threads that wait for one another, in that order; [] if there is no such cycle."""
    by_thread = {each.thread: each for each in waiting}
    for start in waiting:
        path: list[BlockedThread] = []
        at: BlockedThread | None = start
        while at is not None and at not in path:
            path.append(at)
            at = by_thread.get(at.held_by or "")
        if at is start:
            return path
    return []


def _holds_and_waits(tasks: list[str], cycle: list[BlockedThread], each: BlockedThread, case: _Case) -> str:
    label = label_of_name(case.trail.run, each.thread) if each.thread in tasks else each.thread
    held = next((other.for_what for other in cycle if other.held_by == each.thread), "")
    if held.endswith(_TO_END):  # another thread waits for this one
        held = ""
    return f"{label} holds {held} and waits for {each.for_what}" if held else f"{label} waits for {each.for_what}"


def _lost_wake_up(case: _Case) -> Recognised | None:
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


def _cleared_event(case: _Case) -> Recognised | None:
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


def _kept_lock(case: _Case) -> Recognised | None:
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


def _outdated_wait(case: _Case) -> Recognised | None:
    for read, change in outdated_reads(case.trail):
        log = case.trail.run.log
        location = step_location(case.trail.run, case.program, read)
        if not _DECIDES.search(source_text(location)):
            continue
        target = next(each for each, reads, _ in accesses(log[read]) if reads and case.trail.is_shared(each))
        mine, other = case.label(log[read].task), case.label(log[change].task)
        return BugShape.CHECK_THEN_ACT, (
            f"Check-then-act: {mine} looks at {case.words(target)}{_value_of(case, log[read])}; then {other} changes "
            f"it{case.at(change)}; {mine} does not look again, but waits, and no thread is left to wake it."
        )
    return None


def _for_ever(case: _Case) -> str:
    run, waiting = case.trail.run, case.trail.failure.waiting
    if not waiting:
        return "The threads below are blocked forever."
    if run.again:
        names = " and ".join([label_of_name(run, each.thread) for each in waiting])
        loop = "loop" if len(waiting) > 1 else "loops"
        return f"{names} {loop} for ever: no order of the threads ends the loops."
    parts = [
        f"{label_of_name(run, each.thread)} waits for {awaited_words(run, each)}{_held(run.tasks, each, case)}"
        for each in waiting
    ]
    if len(parts) == 1 and any(run.tasks[each.task] == waiting[0].thread and each.repeats for each in run.blocked):
        parts[0] += ", which no thread is left to bring about"
    return f"{'; '.join(parts[:4])}: blocked forever."


def _held(tasks: list[str], each: BlockedThread, case: _Case) -> str:
    if not each.held_by:
        return ""
    return f", held by {label_of_name(case.trail.run, each.held_by) if each.held_by in tasks else each.held_by}"
