"""Whether an order of the events of per-thread logs is an execution: the check of :mod:`mazurka.causal.thread_logs`.

An order is accepted if it has each thread's events in their order and no others, and

- a thread does nothing before its fork nor after its join, and is joined after its last event;
- no thread acquires a lock that another one holds, nor releases one that it does not hold;
- each read gives the value that its location has: that of the last write, or, before the first one, the *known* initial
  value. A location whose values are numbers of updates (``#1``, ``#2``, ...) counts them: an update needs the number
  before its own;
- a thread that waits goes on only once a notification has woken it. One of all wakes all threads that are parked, one
  of a single thread any of them: the one that goes on first, since one that goes on later can be woken later.

Locations that only one thread accesses, or that are only read or only written, need no values.

Shares no code with the search. Cost: one pass, a microsecond an event.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from mazurka.trace.event import READS, WRITES, Op
from mazurka.trace.trace import NO_VALUE, Trace
from mazurka.witness.waits import Parked, waits_in

_NONE: Final = -1
_LOCKING: Final = frozenset({Op.ACQUIRE, Op.RELEASE})
_SIGNALS: Final = frozenset({Op.WAIT, Op.NOTIFY, Op.NOTIFY_ALL})
_LIVES: Final = frozenset({Op.FORK, Op.JOIN, Op.BEGIN, Op.END})


def objections_to_order(trace: Trace, order: Sequence[int], initial: Mapping[int, int]) -> Iterator[str]:
    """Everything that speaks against an order of a trace's rows, of whose rows only the order in each thread counts.
    ``initial`` has the known initial values, by target."""
    if sorted(order) != list(range(len(trace))):
        yield "the order does not have each event once"
        return
    yield from _Replay(trace, order, initial).objections()


class _Replay:
    def __init__(self, trace: Trace, order: Sequence[int], initial: Mapping[int, int]) -> None:
        self.order, self.initial = order, initial
        self.op = [Op(int(op)) for op in trace.op]
        self.thread, self.target, self.value = (list(map(int, c)) for c in (trace.thread, trace.target, trace.value))
        self.place = {row: place for place, row in enumerate(order)}
        self.names, self.values, self.other = trace.targets, trace.values, trace.thread_of_target
        self.own = [list(map(int, rows)) for rows in trace.rows_of_thread]
        self.parks = self._waits(trace)

    def objections(self) -> Iterator[str]:
        for own in self.own:
            places = [self.place[row] for row in own]
            if places != sorted(places):
                yield "a thread's events are in another order than in its log"
        yield from self._lives()
        yield from self._locks()
        yield from self._memory()
        yield from self._signals()

    def _waits(self, trace: Trace) -> dict[int, Parked]:
        import numpy as np

        return {wait.since: wait for wait in waits_in(trace, np.asarray(trace.op), np.asarray(trace.target))}

    def _lives(self) -> Iterator[str]:
        for row, op in enumerate(self.op):
            own = self.own[self.other[self.target[row]]] if op in _LIVES and self.other[self.target[row]] >= 0 else []
            if op is Op.FORK and own and self.place[own[0]] < self.place[row]:
                yield f"event {own[0]} comes before the fork of its thread"
            if op is Op.JOIN and own and self.place[own[-1]] > self.place[row]:
                yield f"event {row} joins a thread before its end"

    def _ops(self) -> list[set[Op]]:
        """By target: the operations on it that touch it."""
        ops: list[set[Op]] = [set() for _ in self.names]
        for row, op in enumerate(self.op):
            if READS[op] or WRITES[op]:
                ops[self.target[row]].add(op)
        return ops

    def _locks(self) -> Iterator[str]:
        ops = self._ops()
        held: dict[int, list[int]] = {}
        for row in self.order:
            lock, thread = self.target[row], self.thread[row]
            if self.op[row] not in _LOCKING or not ops[lock] <= _LOCKING:
                continue
            owners = held.setdefault(lock, [])
            if owners and owners[-1] != thread:
                yield f"event {row} acquires or releases a lock that another thread holds"
            if self.op[row] is Op.ACQUIRE:
                owners.append(thread)
            elif not owners:
                yield f"event {row} releases a lock that no thread holds"
            else:
                owners.pop()

    def _memory(self) -> Iterator[str]:
        ops = self._ops()
        threads: list[set[int]] = [set() for _ in self.names]
        for row, op in enumerate(self.op):
            if READS[op] or WRITES[op]:
                threads[self.target[row]].add(self.thread[row])
        now: dict[int, int] = {}
        for row in self.order:
            op, target = self.op[row], self.target[row]
            if not (READS[op] or WRITES[op]) or op in _LIVES or len(threads[target]) < 2:
                continue
            if ops[target] <= _LOCKING or ops[target] <= _SIGNALS or len(ops[target]) == 1 and op is not Op.RMW:
                continue
            if ops[target] == {Op.READ, Op.WRITE}:
                yield from self._access(row, now)
            else:
                yield from self._counted(row, now)

    def _access(self, row: int, now: dict[int, int]) -> Iterator[str]:
        target, value = self.target[row], self.value[row]
        if value == NO_VALUE:
            yield f"event {row} has no value"
        if self.op[row] is Op.WRITE:
            now[target] = value
        elif now.get(target, self.initial.get(target, NO_VALUE)) != value:
            yield f"event {row} reads another value than its location has"

    def _counted(self, row: int, now: dict[int, int]) -> Iterator[str]:
        target, value = self.target[row], self.value[row]
        number = str(self.values[value]).removeprefix("#") if value != NO_VALUE else ""
        if not number.isdecimal():
            yield f"event {row} has no number"
            return
        before = int(number) - (1 if WRITES[self.op[row]] else 0)
        if now.get(target, 0) != before:
            yield f"event {row} does not come after update {before} of its location"
        now[target] = int(number)

    def _signals(self) -> Iterator[str]:
        parked: dict[int, list[tuple[int, int]]] = {}  # condition -> (place where the thread goes on, where it parks)
        goes_on = {wait.goes_on: wait for wait in self.parks.values() if wait.goes_on != _NONE}
        for row in self.order:
            if row in goes_on:
                wait = goes_on[row]
                if any(park == wait.since for _, park in parked.get(self.target[wait.row], ())):
                    yield f"event {row} goes on although no notification has woken its thread"
            if row in self.parks:
                wait = self.parks[row]
                place = self.place[wait.goes_on] if wait.goes_on != _NONE else len(self.order)
                parked.setdefault(self.target[wait.row], []).append((place, row))
            elif self.op[row] in (Op.NOTIFY, Op.NOTIFY_ALL):
                here = parked.setdefault(self.target[row], [])
                here.sort()
                del here[: None if self.op[row] is Op.NOTIFY_ALL else 1]
