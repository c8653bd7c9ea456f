"""Stores that reached memory late, and whether that is what a failing run shows.

Under TSO and PSO a run's log has a step for each store and another for its arrival in memory (program/memory.py). A
run needed them apart if no order of whole stores explains it: if program order, reads-from, the order of arrivals and
"read before it was overwritten" have a cycle over the accesses (Shasha and Snir, TOPLAS 1988). Only then is a late
store worth telling: most runs have some that nobody could have noticed.

Cost: one pass over the run, and one over the order's edges.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from typing import Final

from mazurka.program.memory import FLUSHED, STORE, is_flusher, owner_of
from mazurka.program.protocol import Run, Step, Target
from mazurka.trace.event import READS, WRITES

#: Targets that stand for the way of a store, not for data.
AUXILIARY: Final = (STORE, FLUSHED, "fence")


@dataclass(frozen=True, slots=True)
class Late:
    """A store that another thread's read missed: it had been made, but had not arrived (``arrival``: if it did).

    ``overtaker`` is what the storing thread did afterwards and yet before the read: the arrival of a later store, or
    the last access to memory.
    """

    target: Target
    store: int
    read: int
    overtaker: int
    arrival: int | None

    @property
    def steps(self) -> tuple[int, ...]:
        return tuple(sorted(each for each in (self.store, self.overtaker, self.read, self.arrival) if each is not None))


@dataclass(slots=True)
class _Memory:
    """A location: which access wrote it last, and who has read that."""

    writer: int = -1
    readers: list[int] = field(default_factory=list)


class _Order:
    """What has to precede what if every store is to be one step with its arrival."""

    def __init__(self, run: Run, end: int) -> None:
        self.run = run
        self.end = end
        self.after: dict[int, list[int]] = defaultdict(list)
        self.overtaken: list[tuple[int, int, Target]] = []  # (store, read that missed it, location)
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
            match target:
                case (kind, queue, number) if kind == STORE and WRITES[op]:
                    self._stores[queue, number] = index
                case (kind, queue, number) if kind == FLUSHED:
                    store = self._stores[queue, number]
                    if step.value is not None and store not in self.arrivals:
                        self._forwarded[store].append(index)
                case (kind, *_) if kind not in AUXILIARY:
                    if READS[op]:
                        self._add(self._memory[target].writer, index)
                        self._memory[target].readers.append(index)
                    if WRITES[op]:
                        self._write(target, index, index)

    def _arrive(self, name: str, step: Step, index: int) -> None:
        number = next((access.target[2] for access in step.more if access.target[0] == FLUSHED), None)
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
            if access < reader < moment and self._owner(reader) != self._owner(access):
                self.overtaken.append((access, reader, target))
        self._memory[target] = _Memory(access)

    def _owner(self, index: int) -> str:
        return owner_of(self.run.tasks[self.run.log[index].task])

    def has_cycle(self) -> bool:
        degree: dict[int, int] = defaultdict(int)
        for others in self.after.values():
            for other in others:
                degree[other] += 1
        ready = [each for each in self.after if not degree[each]]
        left = sum(1 for each in degree.values() if each)
        while ready:
            for other in self.after.get(ready.pop(), ()):
                degree[other] -= 1
                if not degree[other]:
                    left -= 1
                    ready.append(other)
        return left > 0

    def overtaker(self, store: int, read: int, target: Target) -> int | None:
        """The arrival, before the read, of a later store of the thread, else the thread's last access to memory."""
        owner = self._owner(store)
        later = [each for each, moment in self.arrivals.items() if store < each and moment < read]
        stores = [each for each in later if self._owner(each) == owner]
        if stores:
            return self.arrivals[min(stores)]
        accesses = [index for index in range(store + 1, read) if self._is_access(index, owner, target)]
        return accesses[-1] if accesses else None

    def _is_access(self, index: int, owner: str, target: Target) -> bool:
        step = self.run.log[index]
        data = step.target != target and step.target[0] not in AUXILIARY and step.target in self._memory
        return self.run.tasks[step.task] == owner and (READS[step.op] or WRITES[step.op]) and data


def late_stores(run: Run, end: int) -> tuple[Late, ...]:
    """The late stores that explain the first ``end`` steps of a run; () if whole stores explain it, too."""
    if not any(map(is_flusher, run.tasks)):
        return ()
    order = _Order(run, end)
    if not order.has_cycle():
        return ()
    found = []
    for store, read, target in order.overtaken:
        overtaker = order.overtaker(store, read, target)
        if overtaker is not None:
            arrival = order.arrivals.get(store)
            found.append(
                Late(target, store, read, overtaker, arrival if arrival is not None and arrival < end else None)
            )
    return tuple(found)
