"""Threads that are alike, of which only one order need be executed as long as nothing distinguishes them.

Definition. Two threads are *alike* if one thread has started them for the same call (primitives/alike.py), and nothing
tells them apart: neither learns which thread it is, and nobody looks at the end of either, but for a thread that joins
all that are alike and makes no other step meanwhile. (That others know a thread's name tells them nothing about what it
does.) They are *level* if both have passed the same number of points and have done the same so far: the same operations
on the same locations, with reads from the same writes. Then they stand before the same step, with the same local state.

If a later one of two threads that are level moves first, the execution is that in which the earlier one does, with
their names exchanged from there on. So a search of the executions in which the earlier one goes first has reached the
same states and failures. In these, the step of a thread comes after that of the one before it with which it is level,
as the first step of a thread comes after its start (races.py); that the later one could move first is no alternative.

An exchange in the midst of an execution may change the number of its preemptions, one before the first step does not.
Bounded search (bounded_dpor.py) therefore orders the first steps only.

The knowledge of threads that are told apart grows with the executions of a search. If an execution contradicts what
was assumed, the search begins again. The proof, also for other reductions beside this one, is in
docs/explanation/symmetry.md.

Cost: two passes over the steps, in programs that have such threads.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final, NamedTuple

from mazurka.explore.strategy import JournalRecord
from mazurka.program.protocol import Run
from mazurka.trace.event import READS, WRITES, Op
from mazurka.trace.targets import Kind, Target, of_kinds

_BIRTH_AND_DEATH: Final = frozenset({Op.FORK, Op.BEGIN, Op.END})

_is_arrival: Final = of_kinds(Kind.ARRIVAL)

_is_life: Final = of_kinds(Kind.THREAD)


class Symmetry:
    """What the executions of a search have shown about threads that are alike, by their names."""

    def __init__(self) -> None:
        self._apart: set[str] = set()  # threads that are told apart
        self._assumed: set[str] = set()  # those that this search has taken for like others

    # -- knowledge ----------------------------------------------------------------------------------------------------

    def begin_again(self, earlier: Symmetry) -> None:
        """A search begins, or begins again: keep what is known."""
        self._apart, self._assumed = earlier._apart, set()

    def record(self) -> JournalRecord:
        """The knowledge as a journal record."""
        return ("symmetry", json.dumps([sorted(self._apart), sorted(self._assumed)]))

    def recall(self, record: JournalRecord) -> bool:
        """Take over a record, if it is one of these; returns whether it is."""
        if record[0] != "symmetry":
            return False
        self._apart, self._assumed = map(set, json.loads(record[1]))
        return True

    @property
    def is_assumed(self) -> bool:
        """Whether the search has taken any threads for like others."""
        return bool(self._assumed)

    def learn(self, run: Run) -> bool:
        """Learn from an execution; returns whether the search has to begin again, since it contradicts what was
        assumed."""
        if not run.alike:
            return False
        members = {run.tasks[task] for task in (*run.alike, *run.alike.values())}
        if run.untracked or run.uncontrolled:  # who knows what it looks at
            self._apart |= members
        else:
            self._apart |= members & {run.tasks[task] for task in run.told_apart}
            self._apart |= self._looked_at(run, members)
        return not self._apart.isdisjoint(self._assumed)

    def alike(self, run: Run) -> dict[int, int]:
        """The threads of an execution that are like one before them, and that one."""
        if not run.alike:
            return {}
        found = {
            task: earlier
            for task, earlier in run.alike.items()
            if run.tasks[task] not in self._apart and run.tasks[earlier] not in self._apart
        }
        self._assumed |= {run.tasks[task] for task in (*found, *found.values())}
        return found

    def _looked_at(self, run: Run, members: set[str]) -> set[str]:
        """The threads of which an execution has looked at more than it may."""
        classes, found = _classes(run), set[str]()
        pending: dict[int, set[str]] = {}  # by thread: those that it has joined, but not all that are like them
        for task, op, target, _, point, _, more in run.entries():
            joins = False
            for access, touched in ((op, target), *[(each.op, each.target) for each in more]):
                if _is_life(touched) and touched[1] in members:
                    if access is Op.JOIN:
                        joins = True
                        joined = pending.setdefault(task, set())
                        joined.add(touched[1])
                        if classes[touched[1]] <= joined:
                            joined -= classes[touched[1]]
                    elif access not in _BIRTH_AND_DEATH:
                        found.add(touched[1])
            if not joins and (point or op in _BIRTH_AND_DEATH) and (left := pending.pop(task, None)):
                found |= left
        for each in run.blocked:  # the one that it waits for may end if they change places
            if _is_life(each.target) and each.target[1] in members:
                found |= classes[each.target[1]]
        return found


def _classes(run: Run) -> dict[str, set[str]]:
    """By the name of a thread that is like others: the names of all of them, its own included."""
    classes: dict[str, set[str]] = {}
    for task, earlier in sorted(run.alike.items()):
        name, other = run.tasks[task], run.tasks[earlier]
        alike = classes.setdefault(other, {other})
        alike.add(name)
        classes[name] = alike
    return classes


class Order(NamedTuple):
    """For each event of a thread that is level with the one before it: the event with which that one goes first.
    ``waiting`` are the threads that stand before such an event at the end of the execution, and so does that one."""

    after: dict[int, int]
    waiting: frozenset[int]


NO_ORDER: Final = Order({}, frozenset())


def order_of(
    run: Run, alike: Mapping[int, int], starts: Sequence[int] | None = None, *, most: int | None = None
) -> Order:
    """The order of the first ``most`` events of threads that are alike. ``starts`` are the points with which events
    start, if they are not the points themselves."""
    if not alike:
        return NO_ORDER
    points, states = _histories(run, {*alike, *alike.values()})
    numbers = None if starts is None else {point: event for event, point in enumerate(starts)}
    after: dict[int, int] = {}
    waiting = set[int]()
    for task, earlier in alike.items():
        own, others = points[task], points[earlier]
        for place in range(len(own) + 1):
            if place == most or place > len(others) or states[task][place] != states[earlier][place]:
                break
            if place == len(own) == len(others):
                waiting.add(task)
            elif place < min(len(own), len(others)):
                if own[place] < others[place]:
                    break  # it has gone first all the same
                if numbers is None:
                    after[own[place]] = others[place]
                elif own[place] in numbers and others[place] in numbers:
                    after[numbers[own[place]]] = numbers[others[place]]
    return Order(after, frozenset(waiting))


def _histories(run: Run, members: set[int]) -> tuple[dict[int, list[int]], dict[int, list[int]]]:
    """Of these threads: the numbers of their points, and fingerprints of what they have done before each of them, and
    in all."""
    points: dict[int, list[int]] = {task: [] for task in members}
    states: dict[int, list[int]] = {task: [] for task in members}
    current = dict.fromkeys(members, 0)
    writers: dict[Target, tuple[int, int]] = {}  # by location: the thread of its last write, and which of its steps
    steps: dict[int, int] = {}
    number = 0
    for task, op, target, site, point, _, more in run.entries():
        count = steps[task] = steps.get(task, 0) + 1
        if _is_arrival(target):  # at any place of a round; all that go on have read the arrivals of all of them
            op, target = Op.NOP, target[:3]
        accesses = ((op, target), *[(each.op, each.target) for each in more]) if more else ((op, target),)
        if task in members and not (_is_life(target) and op in _BIRTH_AND_DEATH):
            if point:
                points[task].append(number)
                states[task].append(current[task])
            seen = [writers.get(touched) if READS[access] else None for access, touched in accesses]
            current[task] = hash((current[task], site, point, accesses, tuple([_by_whom(each, task) for each in seen])))
        for access, touched in accesses:
            if WRITES[access]:
                writers[touched] = task, count
        number += point
    for task in members:
        states[task].append(current[task])
    return points, states


def _by_whom(write: tuple[int, int] | None, task: int) -> tuple[int, int] | None:
    """A write, by the thread that reads from it: -1 stands for this one."""
    return (-1, write[1]) if write is not None and write[0] == task else write


def movable(run: Run, alike: Mapping[int, int]) -> Callable[[int, Iterable[str]], list[str]]:
    """A function of a point and the threads that could move there: those of them that may. A thread that has not moved
    yet may not, as long as the one before it that is like it has not."""
    first: dict[str, int] = {}
    for point, thread in enumerate(run.schedule()):
        first.setdefault(thread, point)
    before = {run.tasks[task]: run.tasks[earlier] for task, earlier in alike.items()}

    def may_move(point: int, thread: str) -> bool:
        others = (thread, before.get(thread, thread))
        return thread not in before or any(first.get(each, point) < point for each in others)

    return lambda point, enabled: [thread for thread in enabled if may_move(point, thread)]
