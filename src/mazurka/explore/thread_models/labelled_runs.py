"""A run as threads of steps that see and leave *labels*: two accesses of a location have equal labels only if they see,
or leave, equal values.

A thread is deterministic in its reads (the local determinism axiom of the maximal causal model, dissertation ch. 3.1).
So the steps of a run can be taken in any other order in which each sees the labels that it sees in the run: that is an
execution, too, in which every thread does the same. Whether an order is one follows from this run alone.

Labels. A write leaves

- the key of the value, if it is recorded (:attr:`Plan.keys`); otherwise a label of its own;
- what any such operation leaves, if it releases a lock, takes one, ends a thread or wakes one: the previous holder of a
  lock, and the waker, make no difference to the next step. But if code that is not instrumented uses a primitive
  (`queue`, `concurrent.futures`), the release has a label of its own, since the data that it guards is not tracked;
- at a condition the threads that wait for it, first come first.

A wake-up is a location of the thread that waits, one for all its waits. An event whose state changes is seen, too: the
wake-ups by which it is set depend on the threads that wait for it.

Histories. Each step has a fingerprint of all that its thread has seen up to it, so that runs in which a thread has seen
equal values are recognised. Runs number objects anew; a fingerprint numbers them as the thread comes to see them. That
two fingerprints are equal proves nothing, and is not relied upon.

Cost: one pass over the log, some two microseconds a step.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from mazurka.program.protocol import OPAQUE, Access, Blocked, Run
from mazurka.trace.event import READS, WRITES, Op
from mazurka.trace.fingerprints import fingerprint_of_name
from mazurka.trace.own_accesses import is_own_access
from mazurka.trace.targets import OBJECTS, WAKE, Kind, Target, Trait, kind_of

#: Labels, which are their own fingerprints: the initial value that no key is known of (also: a lock that is free, a
#: condition for which no thread waits), a held lock, an ended thread or wait.
_FIRST: Final = 0
_HELD: Final = 1
_ENDED: Final = 2

#: Operations of conditions: they change the threads that wait.
_QUEUEING: Final = frozenset({Op.WAIT, Op.NOTIFY, Op.NOTIFY_ALL})

#: Operations that wait until they see something else.
_TAKING: Final = frozenset({Op.ACQUIRE, Op.JOIN, Op.BEGIN})


#: A step as :meth:`.Run.entries` has it.
Entry = tuple[int, Op, Target, int, bool, Any, tuple[Access, ...]]

#: (location, label) of each access, by numbers of the run.
Labels = tuple[tuple[int, int], ...]


class LabelledStep(NamedTuple):
    """A step of a thread, and its ``number`` in the log; one that ``waits`` may come later than its point."""

    number: int
    sees: Labels
    leaves: Labels
    point: bool
    waits: bool
    doing: int  # a fingerprint of its operation and its place in the source
    history: int  # the fingerprint of all that its thread has seen up to it


class LabelledRun:
    """The steps of a run, but those that touch only what no other thread touches, or nobody notices:
    these come with their thread's next step, whatever the order. ``initial`` are the labels of locations at first,
    ``stuck`` those that the threads that wait at its end would see, ``length`` is the number of the steps."""

    __slots__ = ("_prints", "initial", "length", "stuck", "tasks", "threads")

    def __init__(self, run: Run) -> None:
        builder = _Labeller(run)
        self.tasks = run.tasks
        self.threads = builder.label()
        self.length = sum(map(len, self.threads))
        self.initial = builder.initial
        self.stuck = builder.stuck()
        self._prints = builder.prints

    def history(self, task: int, steps: int) -> int:
        """The fingerprint of all that a task has seen in its first steps."""
        return self.threads[task][steps - 1].history if steps else fingerprint_of_name(self.tasks[task])

    def histories(self) -> tuple[tuple[str, int], ...]:
        """By name of a thread: the fingerprint of all that it has seen."""
        return tuple(
            sorted((name, self.history(task, len(self.threads[task]))) for task, name in enumerate(self.tasks))
        )

    def seeing(self, before: int, step: LabelledStep, memory: Sequence[int]) -> int | None:
        """The history of a thread after a step with which it sees other labels than in the run; None: not known, as
        that depends on the objects that it has seen, or on which locations the step looks at then."""
        if len(step.sees) != 1:
            return None
        printed = self._prints[memory[step.sees[0][0]]]
        return hash((before, step.doing, printed)) if type(printed) is int else None


class _Labeller:
    def __init__(self, run: Run) -> None:
        self.run = run
        self.places: dict[Target, int] = {}  # the numbers of locations
        self.kinds: list[Kind] = []
        self.waiting: list[bool] = []  # whether operations there may have to wait
        self.initial: list[int] = []
        self.memory: list[int] = []
        self.labels: dict[Any, int] = {("queue", ()): _FIRST}  # of keys
        self.prints: list[Any] = [_FIRST, _HELD, _ENDED]  # by label: its fingerprint, or a key with objects in it
        self.objects: list[dict[int, int]] = [{} for _ in run.tasks]  # by task: the objects that it has seen
        self.seen: list[int] = []  # the labels of the values that a step sees, whoever wrote them
        self.queues: dict[int, tuple[str, ...]] = {}  # by location of a condition: the threads that wait
        self.tracked: set[Target] = set()  # locations that several threads touch, or that are touched at points
        self.opaque: set[Target] = set()  # locations that are given values which are not known
        self.event_wakes: set[Target] = set()
        self.steps = self._look_through(run.entries())

    def _look_through(self, entries: Sequence[Entry]) -> list[tuple[int, Entry]]:
        """Learn about locations; returns the steps that may matter, with their numbers."""
        tracked, owners, steps = self.tracked, dict[Target, int](), []
        for number, entry in enumerate(entries):
            task, op, target, site, point, value, more = entry
            if not point and is_own_access(op, target, site, more):
                continue
            steps.append((number, entry))
            if point or owners.setdefault(target, task) != task:
                tracked.add(target)
            if value == OPAQUE:
                self.opaque.update(each.target for each in (Access(op, target), *more) if each.op is not Op.READ)
            if more:
                for each in more:
                    if point or owners.setdefault(each.target, task) != task:
                        tracked.add(each.target)
                if kind_of(target) is Kind.EVENT:
                    self.event_wakes.update([each.target for each in more])
        return steps

    def label(self) -> list[list[LabelledStep]]:
        """The labelled steps of each task."""
        threads: list[list[LabelledStep]] = [[] for _ in self.run.tasks]
        histories = [fingerprint_of_name(name) for name in self.run.tasks]
        memory, prints, waiting, tracked = self.memory, self.prints, self.waiting, self.tracked
        places, seen = self.places, self.seen
        for number, (task, op, target, site, point, value, more) in self.steps:
            if not (point or target in tracked or more and any(each.target in tracked for each in more)):
                continue
            seen.clear()
            sees: list[tuple[int, int]] = []
            leaves: list[tuple[int, Any]] = []
            if more:
                self._access_all(task, (Access(op, target, value), *more), sees, leaves)
            elif op is Op.READ:
                self._read(self._place(task, target, op, value), None if value == OPAQUE else value, sees)
            elif op is Op.ACQUIRE and (place := places.get(target, -1)) >= 0 and place not in self.queues:
                sees.append((place, memory[place]))  # as `_access` does, only faster
                seen.append(memory[place])
                leaves.append((place, _HELD))
            else:
                self._access(task, op, target, None if value == OPAQUE else value, sees, leaves)
            history, doing = histories[task], hash((site, op))
            if sees or point:
                printed = [each if type(each := prints[label]) is int else self._print(task, label) for label in seen]
                history = histories[task] = hash((history, doing, *printed))
            for position, (place, label) in enumerate(leaves):
                if label is None:
                    leaves[position] = (place, len(prints))
                    prints.append(history)
                memory[place] = leaves[position][1]
            waits = not point and (op in _TAKING or any(waiting[place] for place, _ in sees))
            threads[task].append(LabelledStep(number, tuple(sees), tuple(leaves), point, waits, doing, history))
        return threads

    def stuck(self) -> Labels:
        """The locations, and their labels at the end, that stopped threads look at."""
        stopped = self.run.blocked
        places = [self._place(each.task, target, None) for each in stopped for target in _looks(each)]
        return tuple([(place, self.memory[place]) for place in places])

    # -- accesses -----------------------------------------------------------------------------------------------------

    def _access_all(
        self, task: int, accesses: Sequence[Access], sees: list[tuple[int, int]], leaves: list[tuple[int, Any]]
    ) -> None:
        attempt = any(access.op is Op.REQUEST for access in accesses)
        woken: tuple[str, ...] = ()
        waking = sum(kind_of(access.target) is Kind.WAKE for access in accesses)
        for number, (op, target, value) in enumerate(accesses):
            if not number:
                value = None if attempt or value == OPAQUE else value
                if op in _QUEUEING and op is not Op.WAIT:
                    woken = self.queues.get(self._place(task, target, op), ())[:waking]
            elif woken and kind_of(target) is Kind.WAKE and target not in self.event_wakes:
                target, woken = (WAKE, woken[0]), woken[1:]
                leaves.append((self._number(target), _ENDED))
                continue
            self._access(task, op, target, value, sees, leaves, waking)

    def _access(
        self,
        task: int,
        op: Op,
        target: Target,
        value: Any,
        sees: list[tuple[int, int]],
        leaves: list[tuple[int, Any]],
        waking: int = 0,
    ) -> None:
        reads, writes = READS[op], WRITES[op]
        if not (reads or writes):
            return
        place = self._place(task, target, op, value)
        if (reads or self.kinds[place] is Kind.EVENT) and (
            not leaves or place not in [written for written, _ in leaves]
        ):
            self._read(place, value if op is Op.READ else None, sees)
        if writes:
            leaves.append((place, self._left(task, place, op, target, value, waking)))
            if op is Op.WAIT:
                leaves.append((self._number((WAKE, self.run.tasks[task])), _FIRST))

    def _read(self, place: int, value: Any, sees: list[tuple[int, int]]) -> None:
        label = self.memory[place]
        sees.append((place, label))
        self.seen.append(label if value is None else self._label(value))

    def _left(self, task: int, place: int, op: Op, target: Target, value: Any, waking: int) -> int | None:
        """The label that an operation leaves; None: one of its own."""
        if op in _QUEUEING or place in self.queues:
            return self._queued(self.run.tasks[task], place, op, waking)
        if op is Op.ACQUIRE:
            return _HELD
        if op is Op.RELEASE:
            return None if target in self.opaque else _FIRST
        kind = self.kinds[place]
        if op is Op.END or kind is Kind.WAKE or kind is Kind.FLUSHED:
            return _ENDED
        if kind is Kind.STORE or target in self.opaque:
            return None
        # The value of an update is the value written only if it is recorded as a key; otherwise it may be the value
        # read.
        if value is not None and (op is Op.WRITE or op is Op.RMW and type(value) is tuple):
            return self._label(value)
        return None

    def _queued(self, thread: str, place: int, op: Op, woken: int) -> int:
        """The label of a condition after a step; a thread that gives up waiting leaves by another operation."""
        queue = self.queues.get(place, ())
        if op is Op.WAIT:
            queue = (*queue, thread)
        elif op in _QUEUEING:
            queue = queue[woken:]
        else:
            queue = tuple([other for other in queue if other != thread])
        self.queues[place] = queue
        return self._label(("queue", queue))

    # -- numbers ------------------------------------------------------------------------------------------------------

    def _place(self, task: int, target: Target, op: Op | None, value: Any = None) -> int:
        place = self.places.get(target)
        if place is not None:
            return place
        if kind_of(target) is Kind.WAKE and target not in self.event_wakes:
            return self._number((WAKE, self.run.tasks[task]))
        if op is Op.ACQUIRE or op is Op.RELEASE:
            return self._number(target, _FIRST if op is Op.ACQUIRE else _HELD)
        key = value if op is Op.READ and value is not None else self.run.first.get(target)
        return self._number(target, _FIRST if key is None else self._label(key))

    def _number(self, location: Target, first: int = _FIRST) -> int:
        place = self.places.get(location)
        if place is None:
            place = self.places[location] = len(self.kinds)
            self.kinds.append(kind := kind_of(location))
            self.waiting.append(kind.has(Trait.WAITS))
            self.initial.append(first)
            self.memory.append(first)
        return place

    def _label(self, key: Any) -> int:
        label = self.labels.get(key)
        if label is None:
            label = self.labels[key] = len(self.prints)
            self.prints.append(key if _has_objects(key) else fingerprint_of_name(key))  # -1 and -2 have one hash
        return label

    def _print(self, task: int, label: int) -> int:
        printed = self.prints[label]
        return printed if type(printed) is int else fingerprint_of_name(_numbered(printed, self.objects[task]))


def _looks(blocked: Blocked) -> tuple[Target, ...]:
    woken = () if blocked.wake is None else (blocked.wake,)
    return tuple(dict.fromkeys((blocked.target, *(blocked.repeats or ()), *woken)))


def _has_objects(key: Any) -> bool:
    return type(key) is tuple and (_is_object(key) or any(_has_objects(part) for part in key))


def _is_object(key: tuple[Any, ...]) -> bool:
    return len(key) == 2 and key[0] == "object" and type(key[1]) is int and abs(key[1]) >= OBJECTS


def _numbered(key: Any, numbers: dict[int, int]) -> Any:
    """A key with objects numbered as they come."""
    if type(key) is not tuple:
        return key
    if _is_object(key):
        return ("object", numbers.setdefault(abs(key[1]), len(numbers)), key[1] > 0)
    return tuple([_numbered(part, numbers) for part in key])
