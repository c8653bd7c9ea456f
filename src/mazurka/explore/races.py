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
from typing import Any, Final, NamedTuple

from mazurka.explore.merged_run import MergedRun, is_of_tasks, points_of
from mazurka.explore.symmetry import NO_ORDER, Order
from mazurka.lazy_dataclass import dataclass
from mazurka.program.protocol import Access, Blocked, Run
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
    fingerprints. A section (sections.py) passes several ``points``."""

    thread: str
    reads: frozenset[int]
    writes: frozenset[int]
    points: int = 1

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
    event: PointEvent
    base: list[int]  # the clock of its thread before it
    reached: int  # the number of steps logged when its thread stood before it
    log: int  # the number of steps logged when it came, or the run ended
    waits: bool  # whether it has to wait while its target is taken
    attempt: bool
    varies: bool  # whether it may touch other targets if it reads another value
    #: By target that it touches: the last accesses that conflict with it, and the number of all before it.
    before: dict[Target, tuple[list[_Touch], int]]

    def has_rivals(self) -> bool:
        """Whether an event of another thread is among the last accesses that conflict with it."""
        for touches, _ in self.before.values():
            for touch in touches:
                if touch.event >= 0 and touch.task != self.task:
                    return True
        return False


class StepShape(NamedTuple):
    """All that follows from a step's thread, operation and targets: its event, its accesses, those that read or write,
    and the targets of these, each with whether it is written. ``looks`` is the kind of a target that is only read,
    ``vary`` the number of targets touched by a step that reads values (0: it reads none)."""

    event: PointEvent
    accesses: tuple[tuple[Op, Target], ...]
    touching: tuple[tuple[Op, Target], ...]
    targets: tuple[tuple[Target, bool], ...]
    attempt: bool
    looks: str
    varying: int


#: The shapes of steps by thread, operation and targets. Searches keep them from one run to the next.
StepShapes = dict[tuple[Any, ...], StepShape]

#: So many shapes are kept.
_MOST_SHAPES: Final = 50_000


class Execution:
    """The points of a run and their order.

    ``waited_for`` are the kinds of targets whose reads may have to wait (events, say), as acquires do. A step that
    writes ``time`` may have to wait until others have moved. ``varying`` are the sites at which steps are known to have
    several accesses. ``fired`` are steps of timeouts that fired when no other thread could move: so no step changes
    places with them, but the wait might have ended earlier. ``several`` and ``single`` are the sites of this run whose
    steps have several accesses, and those whose steps have one, a read.

    With ``branches`` the conditions on unknown inputs that threads met are events, too, without accesses;
    ``conditions`` has them by the numbers of these events. ``shapes`` are those of other executions with the same
    ``time``; it adds to them. ``order`` is that of threads that are alike.
    """

    def __init__(
        self,
        run: Run,
        waited_for: Collection[str] = (),
        time: Target | None = None,
        varying: Collection[SiteNumber] = (),
        fired: Collection[int] | None = None,
        branches: Sequence[InputBranch] = (),
        shapes: StepShapes | None = None,
        order: Order = NO_ORDER,
    ) -> None:
        self.tasks = run.tasks
        self._after = order.after
        self._shapes: StepShapes = {} if shapes is None else shapes
        self.events: list[PointEvent] = []
        self.numbers: list[int] = []  # by event: its thread
        self.ordinals: list[int] = []
        self.clocks: list[list[int]] = []
        self._steps: list[int] = []  # by event: its step
        self._touches: dict[Target, list[_Touch]] = {}
        self._woken: set[Target] = set()  # targets that notifications write
        self._choices: dict[int, tuple[int, ...]] = {point: enabled for point, _, enabled in run.decisions()}
        self._enabled: dict[int, tuple[int, ...]] = {}  # by event: the threads that could move
        self.conditions: dict[int, PathCondition] = {}
        self._now = [[0] * len(run.tasks) for _ in run.tasks]
        self._reached = [0] * len(run.tasks)
        self._logged = 0
        self._seconds: list[_Second] = []
        self._items: list[Item] = []  # of all events, made when they are needed
        self._waited_for = waited_for
        self._time = time
        self._varying = varying
        self._fired = fired
        self.several: set[SiteNumber] = set()
        self.single: set[SiteNumber] = set()
        self._merged = run if isinstance(run, MergedRun) else None
        self.looked_at: set[str] = set()  # kinds of targets that a point only read
        shared = _shared(run)
        following = iter(branches)
        upcoming = next(following, None)
        steps = run.entries()
        for number, step in enumerate(steps):
            self._logged = number
            while upcoming is not None and upcoming.step <= number:
                self._add_branch(number, upcoming)
                upcoming = next(following, None)
            if step[4] or step[2] in shared or step[1] in _NOTIFYING or (step[6] and _is_any_of(step[6], shared)):
                self._add(number, step)
            else:
                self._reached[step[0]] = number + 1  # it orders no two threads
        self._logged = len(steps)
        while upcoming is not None:
            self._add_branch(self._logged, upcoming)
            upcoming = next(following, None)
        for blocked in run.blocked:
            if blocked.never or blocked.task in order.waiting:
                continue  # the one that it is like would move first
            if blocked.op in _WAITING or is_waiting_read(blocked):
                accesses: tuple[tuple[Op, Target], ...] = ((blocked.op, blocked.target),)
                if blocked.wake is not None:
                    accesses = (*accesses, (Op.READ, blocked.wake))
                if fired is not None and time is not None:
                    accesses = (*accesses, (Op.READ, time))
                self._note(blocked.task, blocked.op, self._shape_of(blocked.task, accesses), True, False)

    # -- the order ----------------------------------------------------------------------------------------------------

    def _add(self, number: int, step: tuple[int, Op, Target, int, bool, Any, tuple[Access, ...]]) -> None:
        task, op, target, site, point, _, more = step
        shape = self._shape(task, op, target, more)
        clock = self._now[task]
        event = -1
        if point:
            event = len(self.events)
            if event in self._after:
                clock = self._now[task] = list(map(max, clock, self.clocks[self._after[event]]))
            second = self._note_step(number, task, op, SiteNumber(site), shape)
            if second.accesses is shape.accesses:
                for touches, _ in second.before.values():
                    for touch in touches:
                        if touch.task != task:
                            clock = list(map(max, clock, touch.clock))
            else:
                clock = self._after_conflicts(clock, task, shape)
            clock = clock.copy()
            clock[task] += 1
            passed = event - len(self.conditions)
            if passed in self._choices:
                self._enabled[event] = self._choices[passed]
            self._add_event(shape.event, task, clock, number)
        else:
            clock = self._after_conflicts(clock, task, shape)
        if op in _NOTIFYING:
            self._woken.update([access.target for access in more])
        self._now[task] = clock
        self._reached[task] = number + 1
        for access, touched in shape.touching:
            writes = WRITES[access]
            past = self._touches.get(touched)
            if past:
                free = self._left_free(past)
                written = len(past) if writes else past[-1].written
            else:
                past = self._touches[touched] = []
                free, written = True, 0 if writes else -1
            past.append(_Touch(number, event, task, access, writes, clock, free, written))

    def _after_conflicts(self, clock: list[int], task: int, shape: StepShape) -> list[int]:
        """The clock of a thread after a step."""
        for touched, writes in shape.targets:
            if past := self._touches.get(touched):
                for touch in _direct(past, writes):
                    if touch.task != task:
                        clock = list(map(max, clock, touch.clock))
        return clock

    def _shape(self, task: int, op: Op, target: Target, more: tuple[Access, ...]) -> StepShape:
        """The shape of a step."""
        thread = self.tasks[task]
        accesses: tuple[tuple[Op, Target], ...] = ((op, target),)
        if more:
            accesses = (*accesses, *[(each.op, each.target) for each in more])
        found = self._shapes.get((thread, accesses))
        return self._shape_of(task, accesses) if found is None else found

    def _shape_of(self, task: int, accesses: tuple[tuple[Op, Target], ...]) -> StepShape:
        """The shape of a step of these accesses, of which the first is the operation itself."""
        thread, (op, target) = self.tasks[task], accesses[0]
        touching = tuple([each for each in accesses if READS[each[0]] or WRITES[each[0]]])
        writes: dict[Target, bool] = {}
        for each, touched in touching:
            writes[touched] = writes.get(touched, False) or WRITES[each]
        reads_values = any(
            READS[each] and touched != self._time and not kind_of(touched).has(Trait.ORDERS)
            for each, touched in accesses
        )
        made = StepShape(
            _event(thread, accesses, points_of(accesses)),
            accesses,
            touching,
            tuple(writes.items()),
            any(each is Op.REQUEST for each, _ in accesses[1:]),
            kind_of(target).tag if op is Op.READ else "",
            len({touched for _, touched in accesses} - {self._time}) if reads_values else 0,
        )
        if len(self._shapes) >= _MOST_SHAPES:
            self._shapes.clear()
        self._shapes[thread, accesses] = made
        return made

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

    def _left_free(self, past: list[_Touch]) -> bool:
        last = past[-1]
        return last.op is not Op.ACQUIRE and (last.writes or last.free)

    def _note_step(self, number: int, task: int, op: Op, site: SiteNumber, shape: StepShape) -> _Second:
        """Note a step at a point as the second of races."""
        looks = shape.looks
        if looks:
            self.looked_at.add(looks)
        varies = False
        if shape.varying and not shape.attempt:
            (self.several if shape.varying > 1 else self.single).add(site)
            varies = shape.varying > 1 or site in self._varying
        waits = not shape.attempt and (op in _WAITING or (looks != "" and looks in self._waited_for))
        if not self._fired or number not in self._fired:
            return self._note(task, op, shape, waits, varies)
        over = self._shape_of(task, tuple([(Op.READ, target) for _, target in shape.accesses]))
        return self._note(task, Op.READ, over, True, True)

    def _note(self, task: int, op: Op, shape: StepShape, waits: bool, varies: bool) -> _Second:
        before = {}
        for target, writes in shape.targets:
            past = self._touches.get(target)
            before[target] = (_direct(past, writes), len(past)) if past else ([], 0)
        base = self._now[task]
        second = _Second(
            len(self.events),
            task,
            base[task] + 1,
            op,
            shape.accesses,
            shape.event,
            base,
            self._reached[task],
            self._logged,
            waits,
            shape.attempt,
            varies,
            before,
        )
        self._seconds.append(second)
        return second

    # -- races --------------------------------------------------------------------------------------------------------

    def reversals(self) -> Iterator[Reversal]:
        """The reversals of all races."""
        for second in self._seconds:
            if not (second.waits or second.has_rivals()):
                continue
            before = second.before
            for op, target in second.accesses:
                if target not in before or (self._fired is not None and target == self._time):
                    continue
                direct, seen = before[target]
                others = [t for other, (touches, _) in before.items() if other != target for t in touches]
                if second.waits and op is second.op:
                    kept = [
                        t
                        for other, (touches, _) in before.items()
                        if other != target and _binds(other) and not _takes_permit(second)
                        for t in touches
                    ]
                    yield from self._behind(second, target, seen, kept, len(kept) < len(others))
                else:
                    yield from self._adjacent(second, target, direct, seen, others)

    def rivals(self, first_new: int) -> Iterator[tuple[int, int]]:
        """Pairs (event, thread): the thread stood before, or had yet to come to, an operation that conflicts with the
        event.

        Pairs in which the operation had to come after the event are left out. Of the events before the thread stood
        there, only the last counts.
        """
        for second in self._seconds:
            if second.number < first_new:
                continue
            for op, target in second.accesses:
                if not (READS[op] or WRITES[op]):
                    continue
                for touch in reversed(self._touches.get(target, [])[: second.before[target][1]]):
                    if not (touch.writes or WRITES[op]):
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

        ``is_event``: it is an event of a property, too, or takes a permit and does more. The accesses of other targets
        are between the two only if they are so without it: the operation might have to wait before them."""
        past = self._touches.get(target, [])
        writes = second.op is not Op.READ or any(each == target and WRITES[op] for op, each in second.accesses)
        for index in range(seen - 1, -1, -1):
            touch = past[index]
            if not (touch.writes or writes):
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
            if known is False and not _takes_permit(second) and any(t.step > touch.step for t in rest):
                known = None  # it waited for another target, too, which has been written since
            if known is None and second.op is Op.ACQUIRE and not _awaits(second):
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
        if _takes_permit(second):
            return self._has_permit(second.accesses[0][1], touch)
        if second.reached > self._steps[touch.event]:
            return None
        return second.task in self._enabled.get(touch.event, (touch.task,))

    def _has_permit(self, permits: Target, first: _Touch) -> bool:
        """Whether there is a permit once all has been executed that does not depend on an event."""
        assert self._merged is not None
        number = self._merged.initially[permits]
        depth, task, ordinal = first.event, first.task, self.ordinals[first.event]
        for event, changes in self._merged.changes.items():
            if permits in changes and (event < depth or self.clocks[event][task] < ordinal):
                number += changes[permits]
        return number == 0 if is_of_tasks(permits) else number > 0

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
        if not self._items:
            self._items = list(map(Item, self.events, self.numbers, self.ordinals, self.clocks))
        items = [item for item in self._items[depth + 1 :] if item.clock[task] < ordinal]
        clock = second.base
        for touch in rest:
            clock = list(map(max, clock, touch.clock))
        event = self._attempted(second.event, target, first) if second.attempt else second.event
        items.append(Item(event, second.task, second.ordinal, clock))
        read = {fingerprint_of_name(target) for op, target in second.accesses if READS[op]} if second.varies else set()
        varies = not read.isdisjoint(self.events[depth].writes)
        varies = varies or (second.number == len(self.events) and _takes_permit(second))
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


def _awaits(second: _Second) -> bool:
    """Whether an acquire may have had to wait for more than its lock."""
    return any(kind_of(target) is Kind.AWAITED for _, target in second.accesses)


def _takes_permit(second: _Second) -> bool:
    """Whether an event takes a permit of a semaphore whose permits can be counted."""
    return second.op is Op.ACQUIRE and kind_of(second.accesses[0][1]) is Kind.PERMITS


def _binds(target: Target) -> bool:
    """Whether accesses of a target order two operations by themselves; those of a property's state, or of time, only
    follow them."""
    return kind_of(target) not in (Kind.MONITORED, Kind.TIME)


def _direct(past: list[_Touch], writing: bool) -> list[_Touch]:
    """Of the accesses of a target, the last ones that conflict with a new one: the last write, and for a write also the
    reads since."""
    written = past[-1].written
    if not writing:
        return [past[written]] if written >= 0 else []
    found = past[written + 1 :][::-1]
    if written >= 0:
        found.append(past[written])
    return found


def _shared(run: Run) -> set[Target]:
    """The targets that several threads touch, or wait for."""
    first: dict[Target, int] = {}
    shared: set[Target] = set()
    for task, _, target, _, _, _, more in run.entries():
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


def _event(thread: str, accesses: tuple[tuple[Op, Target], ...], points: int) -> PointEvent:
    writes = frozenset([fingerprint_of_name(target) for op, target in accesses if WRITES[op]])
    reads = frozenset([fingerprint_of_name(target) for op, target in accesses if READS[op]]) - writes
    return PointEvent(thread, reads or _NOTHING, writes, points)
