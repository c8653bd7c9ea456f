"""Decides which steps of a failing run its explanation shows.

The failure depends at most on the backward slice of the failing thread's last reads: by reads-from to the writes they
saw, and by program order to the earlier reads of these writers (Weiser 1984, without data flow inside a thread, which
is not recorded). Threads without a step in the slice don't matter. Within it, steps are ranked by how directly they
show the failing order:

0. under relaxed memory models, the stores that arrived late and the reads that missed them; timeouts that fired, and
   sleeps that outran other threads;
1. the failing thread's reads at the failing lines; at each preemption the interference of the highest weight; a torn
   update;
2. the writes that those reads saw, and failed attempts to acquire a lock that another thread held;
3. reads after which a thread had to stop while others wrote; further unserialisable interferences;
4. other conflicts at preemptions, then unserialisable interferences at writes before a stop, and, if preemptions have
   no other steps, the steps on both sides of each.

The first two ranks are taken as a whole up to the limit, the others only while there are few rows. For threads that
wait for ever the steps that matter are the acquires of the locks they hold, and the last operations on the conditions
they wait on.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise
from typing import Final

from mazurka.lazy_dataclass import dataclass
from mazurka.program.protocol import FailureKind, Program, Step
from mazurka.replay.anchor import source_text, step_location
from mazurka.replay.switches import preemptive_steps
from mazurka.report.stores import DelayedStore, delayed_stores
from mazurka.report.trail import Gap, Interference, Trail, accesses
from mazurka.report.words import LOOKS, is_failed_attempt, queue_method
from mazurka.trace.conflicts import shown_at
from mazurka.trace.event import WRITES, Location, Op
from mazurka.trace.ids import ThreadIndex
from mazurka.trace.targets import CLOCK, Kind, Target, is_buffered, kind_of, of_kinds

#: The most steps that an explanation shows.
LIMIT: Final = 12

#: Steps of lower ranks are only added up to this many.
_FEW: Final = 8

#: The number of timeouts that fire, and of sleeps that outrun others, that are shown: the last ones.
_ENDED: Final = 4

#: The number of the failing thread's reads from which the slice starts.
_SEEDS: Final = 4

#: The number of failed attempts that are shown: the last ones.
_ATTEMPTS: Final = 2

#: The number of last steps in which the reads of a looping thread are looked up.
_SPIN: Final = 20

#: The number of ranks that may fill the table; the others are only used if it would be short.
_WHOLE_RANKS: Final = 2

_STUCK: Final = (FailureKind.DEADLOCK, FailureKind.BLOCKED, FailureKind.LIVELOCK)

#: The texts by which a front end reports a missing value.
UNSET: Final = ("nothing", "None")

#: Steps that only show the start or end of a thread.
_SILENT: Final = (Op.BEGIN, Op.END, Op.JOIN, Op.FORK, Op.SLEEP)

#: Steps that a thread may do between its last test and its end.
_LEAVING: Final = (Op.END, Op.RELEASE)


#: The values of an event.
_SET: Final = "True"
_CLEARED: Final = "False"

_is_semaphore: Final = of_kinds(Kind.SEMAPHORE)
_is_event: Final = of_kinds(Kind.EVENT)
_is_of_loop: Final = of_kinds(Kind.LOOP)


@dataclass(frozen=True, slots=True)
class HalfDone:
    """A thread was stopped after it had changed one target and before it changed another; the failing thread read
    both."""

    task: ThreadIndex
    changed: Target
    missing: Target
    steps: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Relevance:
    """The steps to show, the failing thread's last reads, and the interferences, those of the highest weight first.
    ``between``: where the failing thread has read no shared data, the steps at which it took a lock, another thread did
    so, and it did so once more. ``ended``: where no thread has interfered with another one, the last step of a thread
    that had ended, a read, and the step by another thread whose write it saw. ``missed``: where no thread has
    interfered with another one, the last read by another thread than the failing one of something that was not there
    yet, and the step by which a further thread made it. ``swapped``: where no thread was preempted, two steps whose
    order the failing thread sees, that of the thread first which was started later."""

    steps: frozenset[int]
    seeds: tuple[int, ...]
    interferences: tuple[Interference, ...]
    half_done: HalfDone | None
    late: tuple[DelayedStore, ...] = ()
    between: tuple[int, int, int] | None = None
    ended: tuple[int, int] | None = None
    missed: tuple[int, int] | None = None
    swapped: tuple[int, int] | None = None


def relevance(trail: Trail, program: Program) -> Relevance:
    """Choose the steps that explain the failure of a run made with detail."""
    race = shown_at(trail.run.log, trail.end) if trail.failure.is_race else None
    if race is not None:
        return Relevance(frozenset({race.first, race.second}), (race.first, race.second), (), None)
    if trail.failure.events:
        steps = sorted({each.step for each in trail.failure.events if 0 <= each.step < trail.end})
        return Relevance(frozenset(steps), tuple(steps), (), None)
    stuck = trail.failure.kind in _STUCK
    starts = waiting_steps(trail) if stuck else failing_reads(trail, program)
    if not starts and not stuck and (sections := _sections(trail, program)) is not None:
        return Relevance(frozenset(sections), sections, (), None, between=sections)
    within = backward_slice(trail, starts)
    everything = trail.interferences()
    between = [each for each in everything if _belongs(each, within)]
    if not between and not stuck:  # the failing thread has missed what another one should have done
        between = [each for each in everything if each.gap.preemptive and each.before is not None and _looks(each)]
    if not stuck:  # how loops take callbacks is shown only where nothing else is
        between = [each for each in between if not _is_of_loop(each.target)] or between
    interferences = _by_weight(trail, starts, between)
    half_done = None if stuck else _half_done(trail, starts)
    told = None if stuck or interferences else _told_to_end(trail)
    blocked = trail.failure.kind is FailureKind.BLOCKED
    missed = None if (stuck and not blocked) or interferences or told else _missed(trail)
    sections = _sections(trail, program) if blocked else None
    preempted = any(each.gap.preemptive for each in interferences)
    swapped = None if stuck or preempted else _swapped(trail, starts)
    late = delayed_stores(trail.run, trail.end)
    ranks = _ranks(trail, starts, interferences, half_done, within)
    if late:
        ranks.insert(0, {index for each in late for index in each.steps})
    ranks.insert(0, set(told or sections or missed or swapped or ()))
    ended = _endings(trail)
    if ended:
        ranks.insert(0, set(sorted(ended)[-_ENDED:]))
    chosen: set[int] = set()
    for number, rank in enumerate(ranks):
        fresh = [index for index in sorted(rank - chosen) if index in ended or not _is_silent(trail.run.log[index])]
        room = (LIMIT if number < _WHOLE_RANKS else _FEW) - len(chosen)
        chosen.update(fresh[-room:] if room > 0 else ())
    return Relevance(
        frozenset(chosen), tuple(starts), tuple(interferences), half_done, late, sections, told, missed, swapped
    )


def _told_to_end(trail: Trail) -> tuple[int, int] | None:
    """The write and the read by which another thread has learnt, in its last step, what the write's thread told it."""
    log = trail.run.log
    found = []
    for task, steps in trail.steps_of.items():
        if task == trail.task or log[steps[-1]].op is not Op.END:
            continue
        last = next((index for index in reversed(steps) if log[index].op not in _LEAVING), steps[0])
        for target, reads, _ in accesses(log[last]):
            source = trail.source(target, last) if reads else None
            if source is not None and source.task != task:
                found.append((source.index, last))
    return max(found, default=None)


def _swapped(trail: Trail, starts: list[int]) -> tuple[int, int] | None:
    """The failing thread gets two items out of a queue that other threads have put there, or reads what two threads
    have written, or put into a list, one after the other: that first which was started later."""
    found = []
    for index in starts:
        for target, reads, _ in accesses(trail.run.log[index]):
            if not reads:
                continue
            if kind_of(target) is Kind.QUEUED:
                source = trail.source(target, index)
                found += [(target[1], source)] if source is not None else []
            else:
                found += [(target, touch) for touch in trail.last_writes(target, index)[-2:]]
    for (one, early), (other, late) in pairwise(found):
        if one == other and early.index < late.index and early.task > late.task != trail.task != early.task:
            return early.index, late.index
    return None


def _missed(trail: Trail) -> tuple[int, int] | None:
    """The last read, by another thread than the failing one, of a location that no thread had written, and the first
    write of it by a further thread."""
    for index in range(trail.end - 1, -1, -1):
        step = trail.run.log[index]
        if trail.task_of(index) == trail.task or step.value not in UNSET:
            continue
        for target, reads, writes in accesses(step):
            later = trail.next_writer(target, index) if reads and not writes else None
            if later is not None and trail.source(target, index) is None:
                return index, later.index
    return None


def _endings(trail: Trail) -> set[int]:
    """The steps at which timeouts fire and sleeps outrun others; of a thread's looks at the clock in a row, the last
    one."""
    log = trail.run.log
    found: list[int] = []
    for index in sorted(trail.run.ended):
        if found and all((log[each].task, log[each].target) == (log[index].task, CLOCK) for each in (found[-1], index)):
            found.pop()
        if index < trail.end:
            found.append(index)
    return set(found)


def _is_silent(step: Step) -> bool:
    """Whether a step only shows the start or end of a thread, or a store on its way or its arrival."""
    looks = is_buffered(step.target) and step.op is not Op.WRITE and step.value is None
    return step.op in _SILENT or looks


def _belongs(each: Interference, within: set[int]) -> bool:
    ends = [touch.index for touch in (each.before, each.after) if touch is not None]
    return any(index in within for index in ends) and any(touch.index in within for touch in each.inside)


def _by_weight(trail: Trail, starts: list[int], interferences: list[Interference]) -> list[Interference]:
    """Preemptions first; then targets that the failing thread read; then those accessed last before the gap."""
    seen = {target for index in starts for target, _, _ in accesses(trail.run.log[index])}

    def weight(each: Interference) -> tuple[bool, bool, bool, bool, int, int]:
        distance = each.gap.before - each.before.index if each.before is not None else len(trail.run.log)
        telling = each.unserialisable and _looks(each)
        by_clock = each.target == CLOCK
        return (not each.gap.preemptive, by_clock, not telling, each.target not in seen, distance, each.inside[0].index)

    return sorted(interferences, key=weight)


def _looks(each: Interference) -> bool:
    """Whether one of the thread's own two accesses only reads; two changes of a container mostly do no harm."""
    return any(touch is not None and touch.reads and not touch.writes for touch in (each.before, each.after))


def _half_done(trail: Trail, starts: list[int]) -> HalfDone | None:
    """The last of the failing thread's reads that saw a change that another thread had not finished."""
    log = trail.run.log
    for index in reversed(starts):
        for target, reads, _ in accesses(log[index]):
            source = trail.source(target, index) if reads and trail.is_shared(target) else None
            if source is None or source.task == trail.task:
                continue
            for at in reversed([step for step in trail.steps_of[trail.task] if source.index < step <= index]):
                for other, looks, _ in accesses(log[at]):
                    if looks and other != target and trail.will_write(other, source.task):
                        return HalfDone(source.task, target, other, (source.index, at, index))
    return None


def _ranks(
    trail: Trail,
    starts: list[int],
    interferences: Iterable[Interference],
    half_done: HalfDone | None,
    within: set[int],
) -> list[set[int]]:
    first, second, stale, third, conflicts, sides = set(starts), *(set[int]() for _ in range(5))
    gaps: set[Gap] = set()
    stops: set[Gap] = set()
    for each in interferences:
        if each.gap.preemptive and each.unserialisable and (_looks(each) or each.gap not in gaps):
            (third if each.gap in gaps else first).update(_shown(each))
            gaps.add(each.gap)
        elif each.gap.preemptive:
            conflicts.update(_shown(each))
        elif each.unserialisable and each.before is not None and not each.before.writes:
            (third if each.gap in stops else stale).update(_shown(each))
            stops.add(each.gap)
        elif each.unserialisable:
            sides.update(_shown(each))
    if half_done is not None and not gaps:
        first.update(half_done.steps)
    for index in starts:
        for target, reads, _ in accesses(trail.run.log[index]):
            source = trail.source(target, index) if reads and trail.is_shared(target) else None
            if source is not None:
                second.add(source.index)
    second.update(_failed_attempts(trail))
    if not gaps and half_done is None:
        for index in preemptive_steps(trail.run, trail.end):
            sides.update({index - 1, index} & within)
    return [first, second, stale, third, conflicts, sides]


def _failed_attempts(trail: Trail) -> list[int]:
    """The last failed attempts to acquire a lock that another thread held, and that thread's acquires."""
    found: list[int] = []
    log = trail.run.log
    for index in range(trail.end - 1, -1, -1):
        step = log[index]
        if is_failed_attempt(step):
            source = trail.source(step.target, index)
            if source is not None and source.task != trail.task_of(index):
                found += [index, source.index]
                if len(found) == 2 * _ATTEMPTS:
                    break
    return found


def _shown(each: Interference) -> list[int]:
    """The steps that show an interference: the thread's two accesses, and the first read and the last write of
    others."""
    shown = [touch.index for touch in (each.before, each.after) if touch is not None]
    reads = [touch.index for touch in each.inside if touch.reads]
    writes = [touch.index for touch in each.inside if touch.writes]
    return shown + reads[:1] + writes[-1:]


def failing_reads(trail: Trail, program: Program) -> list[int]:
    """The failing thread's last reads of shared data: on the lines of the exception's traceback, and by handlers of the
    exception in the functions there; otherwise the last two."""
    return _last_reads_of(trail, program, loops=False) or _last_reads_of(trail, program, loops=True)


def _last_reads_of(trail: Trail, program: Program, loops: bool) -> list[int]:
    """See :func:`failing_reads`; reads of the callbacks of event loops count only with ``loops``."""
    lines = {(frame.location.file, frame.location.line) for frame in trail.failure.frames}
    found: list[int] = []
    seen: set[Target] = set()
    recent: list[int] = []
    for index in reversed(trail.steps_of.get(trail.task, [])):
        step = trail.run.log[index]
        shared = [target for target, reads, _ in accesses(step) if reads and _matters(trail, target)]
        if not loops:
            shared = [target for target in shared if not _is_of_loop(target)]
        if not shared:
            continue
        recent.append(index)
        location = step_location(trail.run, program, index)
        if location is not None and step.target not in seen:
            if (location.file, location.line) in lines or (not found and _is_handler(trail, location)):
                seen.add(step.target)
                found.append(index)
        if len(found) == _SEEDS or len(recent) > 200:
            break
    return sorted(found or recent[:2])


def _is_handler(trail: Trail, location: Location) -> bool:
    """Whether a test comes after the failing line of a function that the exception leaves, which a handler may do."""
    name = location.function.rpartition(".")[2]
    places = [each.location for each in trail.failure.frames]
    lines = [each.line for each in places if (each.file, each.function.rpartition(".")[2]) == (location.file, name)]
    return bool(lines) and location.line > max(lines) and source_text(location).startswith("if ")


def _sections(trail: Trail, program: Program) -> tuple[int, int, int] | None:
    """The last two acquires of one lock by the failing thread, or one that waits for ever, with the last one by another
    thread between them that is no mere look at a queue."""
    log = trail.run.log
    later: dict[Target, int] = {}
    waiting = {each.thread for each in trail.failure.waiting[:1]}
    task = next((task for task, name in enumerate(trail.run.tasks) if name in waiting), trail.task)
    for index in reversed(trail.steps_of.get(task, [])):
        target = log[index].target
        if log[index].op is not Op.ACQUIRE:
            continue
        after = later.setdefault(target, index)
        others = [
            at
            for at in range(index + 1, after)
            if log[at].op is Op.ACQUIRE and log[at].target == target and trail.task_of(at) != task
        ]
        acting = [at for at in others if queue_method(step_location(trail.run, program, at)) not in LOOKS]
        if others:
            return index, (acting or others)[-1], after
    return None


def _matters(trail: Trail, target: Target) -> bool:
    return trail.is_shared(target) or trail.later_writer(target, trail.task) is not None


def backward_slice(trail: Trail, starts: Iterable[int]) -> set[int]:
    """The steps on which the given ones may depend: the writers of their reads, and of the reads before these."""
    within: set[int] = set()
    reached: dict[int, int] = {}  # task -> the step up to which all its steps are in the slice
    pending = list(starts)
    while pending:
        index = pending.pop()
        task = trail.task_of(index)
        done = reached.get(task, -1)
        if index <= done:
            continue
        reached[task] = index
        for at in trail.steps_of.get(task, []):
            if done < at <= index:
                within.add(at)
                for target, reads, _ in accesses(trail.run.log[at]):
                    source = trail.source(target, at) if reads else None
                    if source is not None:
                        pending.append(source.index)
    within.update(_racing(trail, within))
    return within


def _racing(trail: Trail, within: set[int]) -> set[int]:
    """Writes, by any threads, that a read in the slice missed because it came too early."""
    missed: set[int] = set()
    for each in trail.interferences():
        if each.before is not None and each.before.index in within and each.before.reads:
            missed.update(touch.index for touch in each.inside if touch.writes)
    return missed


# -- threads that wait for ever
# -----------------------------------------------------------------------------------------


def waiting_steps(trail: Trail) -> list[int]:
    """For a run that got stuck: the acquires of locks for which threads wait, and the last waits and notifications."""
    found: set[int] = set()
    names = {waiting.thread for waiting in trail.failure.waiting} or {trail.failure.thread}
    for task, name in enumerate(trail.run.tasks):
        if name in names:
            found.update(_held(trail, task))
            found.update(_last_waits(trail, task))
            if trail.failure.kind is FailureKind.LIVELOCK:
                found.update(_last_reads(trail, task))
    for causes in (cleared_events(trail), kept_locks(trail), outdated_reads(trail)):
        found.update(*causes)
    return sorted(found)


def cleared_events(trail: Trail) -> list[tuple[int, int]]:
    """For threads that wait for an event: the step that set it last, and a later one that cleared it."""
    log = trail.run.log[: trail.end]
    last = [log[steps[-1]].target for each in trail.run.blocked if (steps := trail.steps_of.get(each.task))]
    found = []
    for target in dict.fromkeys(filter(_is_event, last)):
        writes = [(at, step.value) for at, step in enumerate(log) if step.target == target and WRITES[step.op]]
        sets = [at for at, value in writes if str(value) == _SET]
        clears = [at for at, value in writes if str(value) == _CLEARED and sets and at > sets[-1]]
        if clears:
            found.append((sets[-1], clears[0]))
    return found


def kept_locks(trail: Trail) -> list[tuple[int, int]]:
    """For threads that wait for a lock: the step at which a thread took it that has ended since, and the end."""
    log = trail.run.log
    holders = {each.held_by for each in trail.failure.waiting}
    found = []
    for task, name in enumerate(trail.run.tasks):
        steps = trail.steps_of.get(task, [])
        if name in holders and steps and log[steps[-1]].op is Op.END:
            found += [(taken, steps[-1]) for taken in sorted(_held(trail, task))]
    for target in dict.fromkeys(each.target for each in trail.run.blocked if _is_semaphore(each.target)):
        found += _kept_semaphore(trail, target)
    return found


def _kept_semaphore(trail: Trail, target: Target) -> list[tuple[int, int]]:
    """The same for a semaphore that no thread has ever released: the last step that took it."""
    log = trail.run.log[: trail.end]
    changes = [(at, str(step.value)) for at, step in enumerate(log) if step.target == target and step.op is Op.RMW]
    values = [int(value) for _, value in changes if value.isdigit()]
    if not changes or len(values) < len(changes) or any(late >= early for early, late in pairwise(values)):
        return []
    taken, _ = changes[-1]
    end = trail.steps_of[trail.task_of(taken)][-1]
    return [(taken, end)] if log[end].op is Op.END else []


def outdated_reads(trail: Trail) -> list[tuple[int, int]]:
    """For threads that wait for ever although none waits for another: the last step at which each read shared data, and
    a later step of another thread that changed them."""
    if trail.failure.kind is not FailureKind.BLOCKED:
        return []
    log = trail.run.log
    found = []
    for task, name in enumerate(trail.run.tasks):
        if name not in {each.thread for each in trail.failure.waiting}:
            continue
        for index in reversed(trail.steps_of.get(task, [])[-_SPIN:]):
            read = {target for target, reads, _ in accesses(log[index]) if reads and trail.is_shared(target)}
            later = (at for at in range(index + 1, trail.end) if trail.task_of(at) != task)
            change = next((at for at in later if any(w and each in read for each, _, w in accesses(log[at]))), None)
            if read:
                found += [(index, change)] if change is not None else []
                break
    return found


def _last_reads(trail: Trail, task: int) -> set[int]:
    """The last reads of a looping thread."""
    log = trail.run.log
    latest: dict[Target, int] = {}
    for index in reversed(trail.steps_of.get(task, [])[-_SPIN:]):
        if log[index].op is Op.READ:
            latest.setdefault(log[index].target, index)
    return set(sorted(latest.values())[-_SEEDS:])


def _held(trail: Trail, task: int) -> set[int]:
    """The acquires of locks that a thread still holds and for which some stopped thread waits."""
    wanted = {blocked.target for blocked in trail.run.blocked}
    held: dict[Target, int] = {}
    for index in trail.steps_of.get(task, []):
        step = trail.run.log[index]
        if step.op is Op.ACQUIRE:
            held[step.target] = index
        elif step.op is Op.RELEASE:
            held.pop(step.target, None)
    return {index for target, index in held.items() if target in wanted}


def _last_waits(trail: Trail, task: int) -> set[int]:
    """A stuck thread's last step on a shared target, its last wait, and the last notification of that."""
    steps = trail.steps_of.get(task, [])
    found: set[int] = set()
    for index in reversed(steps):
        waited = [target for target, op in all_operations(trail, index) if op is Op.WAIT]
        if waited:
            found.add(index)
            found.update(notifications(trail, waited[0], index))
            break
    log = trail.run.log
    touching = (at for at in reversed(steps) if any(_matters(trail, each) for each, _, _ in accesses(log[at])))
    last = next(touching, None)
    if last is not None:
        found.add(last)
    return found


def all_operations(trail: Trail, index: int) -> list[tuple[Target, Op]]:
    """Each target of a step, with the operation on it."""
    step = trail.run.log[index]
    return [(step.target, step.op), *((access.target, access.op) for access in step.more)]


def notifications(trail: Trail, condition: Target, before: int) -> list[int]:
    """The last notification of a condition ahead of a step, if there was one."""
    for index in range(before - 1, -1, -1):
        if any(target == condition and op in (Op.NOTIFY, Op.NOTIFY_ALL) for target, op in all_operations(trail, index)):
            return [index]
    return []
