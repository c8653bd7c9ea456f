"""Events of a prime event structure, by canonical names, and its configurations.

Definitions (POR-SE, sections 3.4 and 3.5). An *event* is an occurrence of a thread's action after a causal history. Its
*canonical name* is the action with the set of the names of the events in the history; two occurrences of equal names
are one event, whatever executions they are met in. Here a name has, for each thread, the last event of the history: the
others follow from these. A *configuration* is a causally closed set of events without conflicts; it is one Mazurkiewicz
trace, and each of its linearizations is an execution. Two events are in *conflict* if they depend on each other and
neither is in the history of the other, or if events of their histories are.

The locations that an action accesses may depend on values that it reads. A known event that *varies* stands for any
event of its thread after its history, and is replaced by that which an execution shows.

Independence (appendix D): two actions of different threads are independent if neither writes a location (a lock, a
condition, a variable) that the other reads or writes. An action that acquires a lock, waits for a notification or takes
from a semaphore writes it; a failed attempt only reads it.

*Branches* (appendix F.1, ``loc``). A condition on unknown inputs that a thread tests is an event without accesses. It
depends on its thread only. It is in conflict with the one of the same history in which the condition has the other
truth value. A set of events is a configuration only if some inputs satisfy all its conditions: that is no matter of
pairs. Where a thread needs a definite number, the place has one such pair for each number met: the first number or
another, then the second or another, and so on.

Events are interned weakly: one that neither the exploration tree nor another event refers to is forgotten.

Cost: an event takes O(threads), the test whether a configuration can be joined by an event O(new events x accesses).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Final
from weakref import WeakValueDictionary

from mazurka.symbolic.terms import Term
from mazurka.symbolic.values import PathCondition


class Fork:
    """A place in a thread's history where it tests a condition on unknown inputs, which two events have in common."""

    __slots__ = ("__weakref__", "term")

    def __init__(self, term: Term) -> None:
        self.term = term

    def is_of_number(self, other: Term) -> bool:
        """Whether this asks for one value of a number, and the other term for another value of it."""
        if self.term.op != "eq" or other.op != "eq" or self.term is other:
            return False
        (one, value), (same, another) = self.term.arguments, other.arguments
        return one is same and value.op == another.op == "const"


_NOTHING: Final[frozenset[int]] = frozenset()


class UnfoldingEvent:
    """One event. ``past`` has for each thread the last event of its history; ``number`` is its number in the
    exploration, in the order of discovery."""

    __slots__ = (
        "__weakref__",
        "alternatives",
        "condition",
        "cut",
        "fork",
        "instead",
        "number",
        "ordinal",
        "past",
        "previous",
        "reads",
        "refuted",
        "size",
        "thread",
        "unsure",
        "updates",
        "varies",
        "writes",
    )

    def __init__(
        self,
        number: int,
        thread: str,
        reads: frozenset[int],
        writes: frozenset[int],
        past: dict[str, UnfoldingEvent],
        varies: bool = False,
        condition: PathCondition | None = None,
    ) -> None:
        self.number = number
        self.thread = thread
        self.reads = reads
        self.writes = writes
        self.past = past
        self.previous = past.get(thread)
        self.ordinal: int = 1 if self.previous is None else self.previous.ordinal + 1
        self.size = sum([last.ordinal for last in past.values()])  # of the history
        self.alternatives: dict[
            UnfoldingEvent, None
        ] = {}  # known events in immediate conflict, which a race with it showed
        self.unsure = True  # no execution has had it yet: its thread may have to wait, or take another step
        self.refuted = False  # none can
        self.instead: list[UnfoldingEvent] = []  # the events that executions had instead
        self.varies = varies
        self.condition = condition  # of a branch
        self.fork: Fork | None = None  # of a branch that has another side
        self.updates: int | None = None  # with cutoffs: as cutoffs.py defines them
        self.cut = False  # with cutoffs: whether it is one, or comes after one

    def depends(self, other: UnfoldingEvent) -> bool:
        """Whether the actions of the two can't be exchanged."""
        return (
            self.thread == other.thread
            or not self.writes.isdisjoint(other.writes)
            or not self.writes.isdisjoint(other.reads)
            or not self.reads.isdisjoint(other.writes)
        )

    def has_before(self, other: UnfoldingEvent) -> bool:
        """Whether the other, which is not in conflict with it, is in its history."""
        last = self.past.get(other.thread)
        return last is not None and last.ordinal >= other.ordinal

    def __repr__(self) -> str:
        return f"<{self.number}: {self.thread}, {self.ordinal}>"


class Unfolding:
    """The events known so far, by their canonical names."""

    def __init__(self) -> None:
        self._events: WeakValueDictionary[tuple[Any, ...], UnfoldingEvent] = WeakValueDictionary()
        self._executed: WeakValueDictionary[tuple[Any, ...], UnfoldingEvent] = WeakValueDictionary()
        self._forks: WeakValueDictionary[tuple[Any, ...], Fork] = WeakValueDictionary()
        self.renamed = 0  # events that executions had with other locations than before, after the same history
        self.met = 0  # events discovered so far
        self.varying = False  # whether one of them varies
        self.fresh: list[UnfoldingEvent] = []  # those discovered since the list was emptied

    def event(
        self,
        thread: str,
        reads: frozenset[int],
        writes: frozenset[int],
        past: dict[str, UnfoldingEvent],
        varies: bool = False,
        condition: PathCondition | None = None,
    ) -> UnfoldingEvent:
        """The event of this name."""
        name = (thread, reads, writes, tuple(sorted([last.number for last in past.values()])), varies, condition)
        found = self._events.get(name)
        if found is None:
            found = UnfoldingEvent(self.met, thread, reads, writes, past, varies, condition)
            self._events[name] = found
            self.met += 1
            self.varying = self.varying or varies
            self.fresh.append(found)
        return found

    def branch(self, thread: str, past: dict[str, UnfoldingEvent], condition: PathCondition) -> UnfoldingEvent:
        """The branch of this name; the one to the other side, if there may be one, is known from then on, too."""
        event = self.event(thread, _NOTHING, _NOTHING, past, condition=condition)
        if event.fork is None and not condition.always:
            other = condition._replace(holds=not condition.holds)
            opposite = self.event(thread, _NOTHING, _NOTHING, past, condition=other)
            event.fork = opposite.fork = self._forks[_place(thread, past)] = Fork(condition.term)
            event.alternatives[opposite] = opposite.alternatives[event] = None
            event.unsure = opposite.unsure = False
        return event

    def branches(self, thread: str, past: dict[str, UnfoldingEvent], met: PathCondition) -> list[UnfoldingEvent]:
        """The events of a condition that a thread has met: one, unless the condition is that a number is this one, and
        others have been met in this place before."""
        found: list[UnfoldingEvent] = []
        while met.holds and (fork := self._forks.get(_place(thread, past))) is not None:
            if not fork.is_of_number(met.term):
                break
            found.append(self.branch(thread, past, PathCondition(fork.term, False)))
            past = {**past, thread: found[-1]}
        return [*found, self.branch(thread, past, met)]

    def execute(self, event: UnfoldingEvent) -> None:
        """Note that an execution had this event. Its history determines its locations, or the condition that it tests:
        if another execution had others, the names of these depend on the order of the threads."""
        if event.unsure or event.condition is not None:
            first = self._executed.setdefault(_place(event.thread, event.past), event)
            self.renamed += first is not event and (event.fork is None or first.fork is not event.fork)
        event.unsure = event.refuted = False

    def __len__(self) -> int:
        return len(self._events)


class Configuration:
    """A configuration, as a linearization that can be extended and cut back.

    Invariant: each prefix of :attr:`events` is a configuration.
    """

    def __init__(self, events: Iterable[UnfoldingEvent] = ()) -> None:
        self.events: list[UnfoldingEvent] = []
        self.last: dict[str, UnfoldingEvent] = {}  # of each thread
        self.conditions: list[PathCondition] = []  # of its branches
        self._accesses: dict[int, list[tuple[UnfoldingEvent, bool]]] = {}  # of each location, with whether they write
        for event in events:
            self.push(event)

    def push(self, event: UnfoldingEvent) -> None:
        """Extend it by an event that it enables."""
        self.events.append(event)
        self.last[event.thread] = event
        if event.condition is not None:
            self.conditions.append(event.condition)
        for location in event.reads:
            self._accesses.setdefault(location, []).append((event, False))
        for location in event.writes:
            self._accesses.setdefault(location, []).append((event, True))

    def pop(self) -> UnfoldingEvent:
        """Take the last event away again."""
        event = self.events.pop()
        if event.previous is None:
            del self.last[event.thread]
        else:
            self.last[event.thread] = event.previous
        if event.condition is not None:
            self.conditions.pop()
        for location in (*event.reads, *event.writes):
            self._accesses[location].pop()
        return event

    def __contains__(self, event: UnfoldingEvent) -> bool:
        last = self.last.get(event.thread)
        while last is not None and last.ordinal > event.ordinal:
            last = last.previous
        return last is event

    def to_reach(self, event: UnfoldingEvent) -> list[UnfoldingEvent] | None:
        """The events that are missing up to ``event``, in an order in which they can be added, without one that varies;
        None if one of them is in conflict with the configuration."""
        if event.ordinal <= self._depth(event.thread):
            return [] if event in self else None
        missing = [] if event.varies else [event]
        for last in event.past.values():
            depth = self._depth(last.thread)
            if last.ordinal <= depth:
                if last not in self:
                    return None
                continue
            own: UnfoldingEvent | None = last
            while own is not None and own.ordinal > depth:
                missing.append(own)
                own = own.previous
            if own is not self.last.get(last.thread):
                return None
        missing.sort(key=_size)
        return missing if all(map(self._is_joined, missing)) else None

    def _depth(self, thread: str) -> int:
        last = self.last.get(thread)
        return 0 if last is None else last.ordinal

    def _is_joined(self, event: UnfoldingEvent) -> bool:
        """Whether the events here on which ``event`` depends are all in its history."""
        return all(event.has_before(other) for other in self._dependent(event))

    def _dependent(self, event: UnfoldingEvent) -> Iterator[UnfoldingEvent]:
        """The last events here on which ``event`` depends, on each location."""
        for location in event.reads:
            for other, writes in reversed(self._accesses.get(location, ())):
                if writes:
                    yield other
                    break
        for location in event.writes:
            for other, writes in reversed(self._accesses.get(location, ())):
                yield other
                if writes:
                    break


def _place(thread: str, past: dict[str, UnfoldingEvent]) -> tuple[Any, ...]:
    """A thread after a history."""
    return thread, tuple(sorted([last.number for last in past.values()]))


def _size(event: UnfoldingEvent) -> tuple[int, str]:
    return event.size, event.thread
