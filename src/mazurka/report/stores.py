"""Stores that reached memory late, as far as the failing run depends on that.

Under TSO and PSO a run's log has a step for each store and another for its arrival in memory
(program/python/weak_memory/). A run depends on the delay if no order with each store as one step explains it: if
program order, reads-from, the order of arrivals and "read before it was overwritten" have a cycle over the accesses
(Shasha and Snir, TOPLAS 1988). Only a store on such a cycle is reported: most runs have delayed stores that no thread
could have observed.

Cost: one pass over the run, and one over the order's edges for each delayed store.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import field
from itertools import takewhile

from mazurka.lazy_dataclass import dataclass
from mazurka.program.memory import is_flusher, owner_of
from mazurka.program.protocol import Run, Step
from mazurka.trace.event import READS, WRITES
from mazurka.trace.targets import Kind, Target, kind_of


@dataclass(frozen=True, slots=True)
class DelayedStore:
    """A store that arrived too late: another thread's access of the location meanwhile (a read, or the arrival of a
    store of its own) comes after the store by all other orders in the run.

    ``overtaker`` is the later step of the storing thread that shows this: the arrival of a later store, or another
    access. ``arrival`` is that of the store itself, if it came before the failure.
    """

    target: Target
    store: int
    missed: int
    overtaker: int
    arrival: int | None

    @property
    def steps(self) -> tuple[int, ...]:
        """The numbers of the steps that an explanation must show, ascending."""
        return tuple(
            sorted(each for each in (self.store, self.overtaker, self.missed, self.arrival) if each is not None)
        )


@dataclass(slots=True)
class _Memory:
    """A location: its last write, the arrival of that, and its readers."""

    writer: int = -1
    moment: int = -1
    readers: list[int] = field(default_factory=list)


class _Order:
    """The order that holds if every store is one step with its arrival."""

    def __init__(self, run: Run, end: int) -> None:
        self.run = run
        self.end = end
        self.after: dict[int, list[int]] = defaultdict(list)
        # A store, an access of another thread that came before its arrival, the step of that, and the location.
        self.overtaken: list[tuple[int, int, int, Target]] = []
        self.arrivals: dict[int, int] = {}  # store -> its arrival
        self._stores: dict[tuple[str, int], int] = {}
        self._memory: dict[Target, _Memory] = defaultdict(_Memory)
        self._forwarded: dict[int, list[int]] = defaultdict(list)
        self._last: dict[str, int] = {}
        self._read_log()

    def _read_log(self) -> None:
        for index, step in enumerate(self.run.log):
            name = self.run.tasks[step.task]
            if is_flusher(name):
                self._arrive(name, step, index)
            elif index < self.end:
                self._add(self._last.get(name, -1), index)
                self._last[name] = index
                self._access(step, index)

    def _add(self, before: int, after: int) -> None:
        if before not in (-1, after):
            self.after[before].append(after)

    def _access(self, step: Step, index: int) -> None:
        for op, target in ((step.op, step.target), *((access.op, access.target) for access in step.more)):
            match kind_of(target):
                case Kind.STORE if WRITES[op]:
                    self._stores[target[1:]] = index
                case Kind.FLUSHED:
                    store = self._stores[target[1:]]
                    if step.value is not None and store not in self.arrivals:
                        self._forwarded[store].append(index)
                case Kind.STORE | Kind.FENCE:
                    pass
                case _:
                    if READS[op]:
                        self._add(self._memory[target].writer, index)
                        self._memory[target].readers.append(index)
                    if WRITES[op]:
                        self._write(target, index, index)

    def _arrive(self, name: str, step: Step, index: int) -> None:
        number = next((access.target[2] for access in step.more if kind_of(access.target) is Kind.FLUSHED), None)
        store = self._stores.get((name, number)) if number is not None else None
        if store is not None:
            self.arrivals[store] = index
            self._write(step.target, store, index)
            self._memory[step.target].readers += self._forwarded.pop(store, [])

    def _write(self, target: Target, access: int, moment: int) -> None:
        memory = self._memory[target]
        self._add(memory.writer, access)
        for reader in memory.readers:
            self._add(reader, access)
        met = [(memory.writer, memory.moment), *((reader, reader) for reader in memory.readers)]
        for other, at in met:
            if access < at < moment and self._owner(other) != self._owner(access):
                self.overtaken.append((access, other, at, target))
        self._memory[target] = _Memory(access, moment)

    def _owner(self, index: int) -> str:
        return owner_of(self.run.tasks[self.run.log[index].task])

    def path(self, first: int, last: int) -> list[int]:
        """A shortest path from one access to another, [] if there is none."""
        came: dict[int, int] = {first: first}
        frontier = [first]
        while frontier and last not in came:
            following = []
            for each in frontier:
                for other in self.after.get(each, ()):
                    if other not in came:
                        came[other] = each
                        following.append(other)
            frontier = following
        if last not in came:
            return []
        way = [last]
        while way[-1] != first:
            way.append(came[way[-1]])
        return way[::-1]

    def overtaker(self, store: int, way: list[int]) -> int | None:
        """The last access of the storing thread before the path leaves it; for a store, its arrival."""
        owner = self._owner(store)
        own = list(takewhile(lambda each: self._owner(each) == owner, way))
        return self.arrivals.get(own[-1], own[-1]) if len(own) > 1 else None


def delayed_stores(run: Run, end: int) -> tuple[DelayedStore, ...]:
    """The delayed stores that explain the first ``end`` steps of a run; () if whole stores explain it, too."""
    if not any(map(is_flusher, run.tasks)):
        return ()
    order = _Order(run, end)
    found = []
    for store, access, moment, target in order.overtaken:
        overtaker = order.overtaker(store, order.path(store, access))
        if overtaker is not None and moment < end and overtaker < end:
            arrival = order.arrivals[store]
            found.append(DelayedStore(target, store, moment, overtaker, arrival if arrival < end else None))
    return tuple(found)
