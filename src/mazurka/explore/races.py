"""The happens-before order of a run, and the races of its points: pairs that could have come in the other order.

Two steps *conflict* if they touch the same target and one of them writes it. *Happens before* is the smallest order
with program order and the order of conflicting steps; two runs with the same happens-before order are the same
Mazurkiewicz trace. Steps that are no points are not scheduled (see protocol.py): they carry happens-before from point
to point. The *events* of this module are the points.

A *race* (Abdulla, Aronis, Jonsson, Sagonas: Source Sets, JACM 64(4), 2017, def. 3.3) is a pair of conflicting events
of two threads with no event between them in the order, so that the second could have come first. Its *reversal* is the
sequence ``notdep(first) . second``: the events after the first that do not depend on it, including those after the
second, and then the second; it can be executed in place of the first.

Departures. Operations that may have to wait need more care than in the paper's section on them:

- The second may be unable to move right before the first: an acquire before the release it read from. Then earlier
  events on that target are tried, back to one before which it can move (for a lock: the acquire that took it). No event
  between these two can be in the reversal, since it depends on the first.
- An operation before which a thread was blocked when the run ended counts as a second, too, so that the other orders of
  a deadlock are explored.
- Whether a thread could move is known if it stood there: the run has the enabled threads at each point. (Not where it
  waited for a second target, which was written later, as a thread that waits for a notification and for the lock: the
  notification need not depend on the first.) For a lock it follows from its holder. Otherwise (a semaphore's counter, a
  queue) the reversal is *unsure*. A step does not show whether its read may have to wait; the explorer learns which
  kinds of targets are waited for.
- A step of several accesses may touch other locations if it reads another value: if such a second reads a target that
  the first writes, the reversal *varies*. A step of one access does not vary, unless the runs so far have shown several
  at its site.
- An attempt that does not wait may have the other result when reversed; for a lock the result is known, otherwise the
  attempt is assumed to write.

Cost: O(steps x threads) for the order, from which steps between points are left out if their targets are of one thread;
O(points) for each reversal.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import Final, NamedTuple

from mazurka.lazy_dataclass import dataclass
from mazurka.program.protocol import Access, Blocked, Run, Step
from mazurka.symbolic.values import InputBranch, PathCondition
from mazurka.trace.event import READS, WRITES, Op
from mazurka.trace.fingerprints import fingerprint_of_name
from mazurka.trace.ids import SiteNumber
from mazurka.trace.targets import Kind, Target, Trait, kind_of

_WAITING: Final = frozenset({Op.ACQUIRE, Op.RMW})
_LOCKING: Final = frozenset({Op.ACQUIRE, Op.RELEASE})
_NOTIFYING: Final = frozenset({Op.NOTIFY, Op.NOTIFY_ALL})

_NOTHING: Final[frozenset[int]] = frozenset()


class PointEvent(NamedTuple):
    """A thread's step at a point: the targets that it only reads, and those that it writes, by their stable
    fingerprints."""

    thread: str
    reads: frozenset[int]
    writes: frozenset[int]

    def conflicts(self, other: PointEvent) -> bool:
        """Whether the two can't be swapped."""
        return (
            self.thread == other.thread
            or not self.writes.isdisjoint(other.writes)
            or not self.writes.isdisjoint(other.reads)
            or not self.reads.isdisjoint(other.writes)
        )


class _Touch(NamedTuple):
    """One access of a target by a step."""

    step: int
    event: int  # the number of the step's point, -1 if it is none
    task: int
    op: Op
    writes: bool
    clock: list[int]
    free: bool  # whether the target, as a lock, was free before
    written: int  # the index of the target's last write, up to and including this access; -1 if there is none


class Item(NamedTuple):
    """One event of a reversal."""

    event: PointEvent
    task: int
    ordinal: int  # its place among its thread's events, from 1
    clock: list[int]  # the number of events of each thread that happen before it in the reversal, including itself


@dataclass(frozen=True, slots=True)
class Reversal:
    """``items`` can be executed after the first ``depth`` points of the run. If ``unsure``, the last may have to wait;
    if it ``varies``, the last may touch other targets."""

    depth: int
    items: list[Item]
    unsure: bool
    varies: bool
    race: tuple[_Touch, _Second]


@dataclass(slots=True)
class _Second:
    """An event, done or blocked at the end of the run, as the second of races."""

    number: int  # the number of its point; the count of points if it was blocked
    task: int
    ordinal: int
    op: Op
    accesses: tuple[tuple[Op, Target], ...]
    base: list[int]  # the clock of its thread before it
    reached: int  # the number of steps logged when its thread stood before it
    log: int  # the number of steps logged when it came, or the run ended
    waits: bool  # whether it has to wait while its target is taken
    attempt: bool
    varies: bool  # whether it may touch other targets if it reads another value


class Execution:
    """The points of a run and their order.

    ``waited_for`` are the kinds of targets whose reads may have to wait (events, say), as acquires do. A step that
    writes ``time`` may have to wait until others have moved. ``varying`` are the sites at which steps are known to have
    several accesses. ``fired`` are steps of timeouts that fired when no other thread could move: so no step changes
    places with them, but the wait might have ended earlier. ``several`` and ``single`` are the sites of this run whose
    steps have several accesses, and those whose steps have one, a read.

    With ``branches`` the conditions on unknown inputs that threads met are events, too, without accesses;
    ``conditions`` has them by the numbers of these events.
    """

    def __init__(
        self,
        run: Run,
        waited_for: Collection[str] = (),
        time: Target | None = None,
        varying: Collection[SiteNumber] = (),
        fired: Collection[int] | None = None,
        branches: Sequence[InputBranch] = (),
    ) -> None:
        self.tasks = run.tasks
        self.events: list[PointEvent] = []
        self.numbers: list[int] = []  # by event: its thread
        self.ordinals: list[int] = []
        self.clocks: list[list[int]] = []
        self._steps: list[int] = []  # by event: its step
        self._touches: dict[Target, list[_Touch]] = {}
        self._woken: set[Target] = set()  # targets that notifications write
        self._choices: dict[int, tuple[int, ...]] = {choice.point: choice.enabled for choice in run.choices}
        self._enabled: dict[int, tuple[int, ...]] = {}  # by event: the threads that could move
        self.conditions: dict[int, PathCondition] = {}
        self._now = [[0] * len(run.tasks) for _ in run.tasks]
        self._reached = [0] * len(run.tasks)
        self._logged = 0
        self._seconds: list[tuple[_Second, dict[Target, int]]] = []  # each with the accesses of each target before it
        self._waited_for = waited_for
        self._time = time
        self._varying = varying
        self._fired = fired
        self.several: set[SiteNumber] = set()
        self.single: set[SiteNumber] = set()
        self.looked_at: set[str] = set()  # kinds of targets that a point only read
        shared = _shared(run)
        following = iter(branches)
        upcoming = next(following, None)
        for number, step in enumerate(run.log):
            self._logged = number
            while upcoming is not None and upcoming.step <= number:
                self._add_branch(number, upcoming)
                upcoming = next(following, None)
            if step[4] or step[2] in shared or step[1] in _NOTIFYING or (step[6] and _is_any_of(step[6], shared)):
                self._add(number, step)
            else:
                self._reached[step[0]] = number + 1  # it orders no two threads
        self._logged = len(run.log)
        while upcoming is not None:
            self._add_branch(self._logged, upcoming)
            upcoming = next(following, None)
        for blocked in run.blocked:
            if blocked.op in _WAITING or is_waiting_read(blocked):
                accesses: tuple[tuple[Op, Target], ...] = ((blocked.op, blocked.target),)
                if fired is not None and time is not None:
                    accesses = (*accesses, (Op.READ, time))
                self._note(len(self.events), blocked.task, blocked.op, accesses, False, True, False)

    # -- the order ----------------------------------------------------------------------------------------------------

    def _add(self, number: int, step: Step) -> None:
        task, op, target, site, point, _value, more = step
        accesses = ((op, target), *[(a.op, a.target) for a in more]) if more else ((op, target),)
        if point:
            attempt = any(a.op is Op.REQUEST for a in more)
            if op is Op.READ:
                self.looked_at.add(kind_of(target).tag)
            waits = op in _WAITING or op is Op.READ and kind_of(target).tag in self._waited_for
            varies = not attempt and self._may_vary(site, accesses)
            if self._fired and number in self._fired:
                over = tuple([(Op.READ, each) for _, each in accesses])
                self._note(len(self.events), task, Op.READ, over, False, True, True)
            else:
                self._note(len(self.events), task, op, accesses, attempt, waits and not attempt, varies)
        clock = self._now[task]
        for access, touched in accesses:
            for touch in self._direct(touched, WRITES[access], READS[access]):
                if touch.task != task:
                    clock = list(map(max, clock, touch.clock))
        event = -1
        if point:
            event = len(self.events)
            clock = clock.copy()
            clock[task] += 1
            passed = event - len(self.conditions)
            if passed in self._choices:
                self._enabled[event] = self._choices[passed]
            self._add_event(_event(self.tasks[task], accesses), task, clock, number)
        if op in _NOTIFYING:
            self._woken.update([access.target for access in more])
        self._now[task] = clock
        self._reached[task] = number + 1
        for access, touched in accesses:
            if READS[access] or WRITES[access]:
                past = self._touches.setdefault(touched, [])
                free = not past or self._left_free(past)
                written = len(past) if WRITES[access] else past[-1].written if past else -1
                past.append(_Touch(number, event, task, access, WRITES[access], clock, free, written))

    def _add_event(self, event: PointEvent, task: int, clock: list[int], step: int) -> None:
        self.events.append(event)
        self.numbers.append(task)
        self.ordinals.append(clock[task])
        self.clocks.append(clock)
        self._steps.append(step)

    def _add_branch(self, step: int, branch: InputBranch) -> None:
        """A thread met a condition before this step."""
        task = branch.task
        clock = self._now[task].copy()
        clock[task] += 1
        self.conditions[len(self.events)] = branch.condition
        self._add_event(PointEvent(self.tasks[task], _NOTHING, _NOTHING), task, clock, step)
        self._now[task] = clock

    def _may_vary(self, site: SiteNumber, accesses: tuple[tuple[Op, Target], ...]) -> bool:
        """Whether a step reads values, and has further accesses, in this run or another."""
        if not any(
            READS[op] and target != self._time and not kind_of(target).has(Trait.ORDERS) for op, target in accesses
        ):
            return False
        if len(accesses) > 1 and len({target for _, target in accesses} - {self._time}) > 1:
            self.several.add(site)
            return True
        self.single.add(site)
        return site in self._varying

    def _left_free(self, past: list[_Touch]) -> bool:
        last = past[-1]
        return last.op is not Op.ACQUIRE and (last.writes or last.free)

    def _direct(self, target: Target, writing: bool, reading: bool, seen: int | None = None) -> Iterator[_Touch]:
        """The last accesses that conflict with a new one: the last write, and for a write also the reads since."""
        if not writing and not reading:
            return
        past = self._touches.get(target, ())
        end = len(past) if seen is None else seen
        written = past[end - 1].written if end else -1
        if writing:
            yield from past[written + 1 : end][::-1]
        if written >= 0:
            yield past[written]

    def _note(
        self,
        number: int,
        task: int,
        op: Op,
        accesses: tuple[tuple[Op, Target], ...],
        attempt: bool,
        waits: bool,
        varies: bool,
    ) -> None:
        base = self._now[task]
        ordinal, reached = base[task] + 1, self._reached[task]
        second = _Second(number, task, ordinal, op, accesses, base, reached, self._logged, waits, attempt, varies)
        seen = {target: len(self._touches.get(target, ())) for _, target in accesses}
        self._seconds.append((second, seen))

    # -- races --------------------------------------------------------------------------------------------------------

    def reversals(self) -> Iterator[Reversal]:
        """The reversals of all races."""
        for second, seen in self._seconds:
            reads = {target for op, target in second.accesses if READS[op]}
            writes = {target for op, target in second.accesses if WRITES[op]}
            direct = {
                target: list(self._direct(target, target in writes, target in reads, seen[target]))
                for _, target in second.accesses
                if target in reads or target in writes
            }
            for op, target in second.accesses:
                if target not in direct or (self._fired is not None and target == self._time):
                    continue
                others = [t for other, touches in direct.items() if other != target for t in touches]
                if second.waits and op is second.op:
                    kept = [
                        t for other, touches in direct.items() if other != target and _binds(other) for t in touches
                    ]
                    yield from self._behind(second, target, seen[target], kept, len(kept) < len(others))
                else:
                    yield from self._adjacent(second, target, direct[target], seen[target], others)

    def rivals(self, first_new: int) -> Iterator[tuple[int, int]]:
        """Pairs (event, thread): the thread stood before, or had yet to come to, an operation that conflicts with the
        event.

        Pairs in which the operation had to come after the event are left out. Of the events before the thread stood
        there, only the last counts.
        """
        for second, seen in self._seconds:
            if second.number < first_new:
                continue
            for op, target in second.accesses:
                for touch in reversed(self._touches.get(target, [])[: seen[target]]):
                    if not (touch.writes or WRITES[op]) or not (READS[op] or WRITES[op]):
                        continue
                    if touch.task == second.task or self._between(touch, second, []):
                        if touch.writes:
                            break
                    elif touch.event >= 0:
                        yield touch.event, second.task
                        if touch.writes and touch.step < second.reached:
                            break

    def _adjacent(
        self, second: _Second, target: Target, direct: list[_Touch], seen: int, others: list[_Touch]
    ) -> Iterator[Reversal]:
        """Reversals of direct conflicts; the second can always move, unless the run shows that it could not."""
        for touch in direct:
            if touch.event < 0 or touch.task == second.task:
                continue
            if self._known(second, touch) is False:
                yield from self._behind(second, target, seen, others)
                return
            rest = [t for t in (*others, *direct) if t.step != touch.step]
            if not self._between(touch, second, rest):
                unsure = second.op is Op.READ and not second.attempt and self._handed_on(target)
                yield self._reversal(second, touch, rest, unsure, target)

    def _behind(
        self, second: _Second, target: Target, seen: int, others: list[_Touch], is_event: bool = False
    ) -> Iterator[Reversal]:
        """Reversals of an operation that may have to wait: before the latest event before which it need not wait.

        ``is_event``: it is an event of a property, too. Accesses of the property's state are between the two only if
        they are so without it: the operation might have to wait before them."""
        past = self._touches.get(target, [])
        for index in range(seen - 1, -1, -1):
            touch = past[index]
            if not touch.writes and second.op is Op.READ:
                continue
            rest = [t for t in others if t.step != touch.step]
            if touch.task == second.task or self._between(touch, second, rest):
                if touch.writes:
                    return
                continue
            if touch.event < 0:
                continue
            if is_event:
                rest += self._earlier(second, target, touch)
            known = self._known(second, touch)
            if known is False and any(t.step > touch.step for t in rest):
                known = None  # it waited for another target, too, which has been written since
            if known is None and second.op is Op.ACQUIRE:
                known = touch.free
            if known is False:
                continue
            rest += [t for t in past[index + 1 : seen] if not self._before(touch, t)]
            yield self._reversal(second, touch, rest, known is None, target)
            if known and touch.writes:
                return

    def _earlier(self, second: _Second, target: Target, first: _Touch) -> list[_Touch]:
        """The accesses of other targets that conflict with an operation and do not happen after an event."""
        writes = {each for op, each in second.accesses if WRITES[op]}
        return [
            touch
            for each in {each for _, each in second.accesses} - {target}
            for touch in self._touches.get(each, ())
            if touch.step < second.log and (touch.writes or each in writes) and not self._before(first, touch)
        ]

    def _handed_on(self, target: Target) -> bool:
        """Whether a plain read of the target may be a timeout."""
        return target in self._woken or self._is_lock(target)

    def _is_lock(self, target: Target) -> bool:
        return any(touch.op in _LOCKING for touch in self._touches[target])

    def _known(self, second: _Second, touch: _Touch) -> bool | None:
        """Whether the second could have moved right before ``touch``, if the run determines it."""
        if second.reached > self._steps[touch.event]:
            return None
        return second.task in self._enabled.get(touch.event, (touch.task,))

    def _before(self, touch: _Touch, other: _Touch) -> bool:
        """Whether the event of ``touch`` happens before ``other``."""
        return other.clock[touch.task] >= self.ordinals[touch.event]

    def _between(self, touch: _Touch, second: _Second, rest: list[_Touch]) -> bool:
        """Whether an event that the second depends on happens after ``touch``."""
        ordinal = self.ordinals[touch.event] if touch.event >= 0 else touch.clock[touch.task]
        task = touch.task
        return second.base[task] >= ordinal or any(t.clock[task] >= ordinal for t in rest)

    def _reversal(self, second: _Second, first: _Touch, rest: list[_Touch], unsure: bool, target: Target) -> Reversal:
        depth, task = first.event, first.task
        ordinal = self.ordinals[depth]
        items = [
            Item(self.events[i], self.numbers[i], self.ordinals[i], self.clocks[i])
            for i in range(depth + 1, len(self.events))
            if self.clocks[i][task] < ordinal
        ]
        clock = second.base
        for touch in rest:
            clock = list(map(max, clock, touch.clock))
        event = _event(self.tasks[second.task], second.accesses)
        if second.attempt:
            event = self._attempted(event, target, first)
        items.append(Item(event, second.task, second.ordinal, clock))
        read = {fingerprint_of_name(target) for op, target in second.accesses if READS[op]} if second.varies else set()
        varies = not read.isdisjoint(self.events[depth].writes)
        return Reversal(depth, items, unsure or self._takes_time(second), varies, (first, second))

    def past(self, reversal: Reversal) -> list[int]:
        """The number of events of each thread that happen before the second of a race if the first, and all that
        happens after it, is left out."""
        (first, second), event = reversal.race, reversal.items[-1].event
        task, ordinal, clock = first.task, self.ordinals[first.event], second.base
        for target in {target for _, target in second.accesses}:
            printed = fingerprint_of_name(target)
            writes = printed in event.writes
            if not writes and printed not in event.reads:
                continue
            past = self._touches.get(target, [])
            for touch in reversed(past):
                if touch.step >= second.log or touch.clock[task] >= ordinal or not (writes or touch.writes):
                    continue
                if touch.task != second.task:
                    clock = list(map(max, clock, touch.clock))
                if touch.writes:
                    break
        return clock

    def _takes_time(self, second: _Second) -> bool:
        return self._time is not None and (Op.RMW, self._time) in second.accesses

    def _attempted(self, event: PointEvent, target: Target, first: _Touch) -> PointEvent:
        """The event of an attempt if it comes in place of ``first``."""
        printed = fingerprint_of_name(target)
        if self._is_lock(target) and not first.free:
            return PointEvent(event.thread, event.reads | {printed}, event.writes - {printed})
        return PointEvent(event.thread, event.reads - {printed}, event.writes | {printed})


def _binds(target: Target) -> bool:
    """Whether accesses of a target order two operations by themselves; those of a property's state only follow them."""
    return kind_of(target) is not Kind.MONITORED


def _shared(run: Run) -> set[Target]:
    """The targets that several threads touch, or wait for."""
    first: dict[Target, int] = {}
    shared: set[Target] = set()
    for task, _, target, _, _, _, more in run.log:
        if first.setdefault(target, task) != task:
            shared.add(target)
        for access in more:
            if first.setdefault(access.target, task) != task:
                shared.add(access.target)
    shared.update([blocked.target for blocked in run.blocked])
    return shared


def _is_any_of(accesses: tuple[Access, ...], targets: set[Target]) -> bool:
    return any(access.target in targets for access in accesses)


def is_waiting_read(blocked: Blocked) -> bool:
    """Whether a thread is blocked before a read, and not held because it would only repeat itself."""
    return blocked.op is Op.READ and not blocked.repeats


def _event(thread: str, accesses: tuple[tuple[Op, Target], ...]) -> PointEvent:
    writes = frozenset([fingerprint_of_name(target) for op, target in accesses if WRITES[op]])
    reads = frozenset([fingerprint_of_name(target) for op, target in accesses if READS[op]]) - writes
    return PointEvent(thread, reads or _NOTHING, writes)
