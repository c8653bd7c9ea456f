"""A quick search for an order of all events of per-thread logs: thread by thread, a section of a lock at a time.

It stands for :mod:`.closure` where the logs are long: there nearly each step is forced, or does no harm. An event takes
place only where it can: a read where its location has its value, an acquire where the lock is free. Some events never
exclude an order and are taken at once: reads, releases, starts and ends of threads, threads that park, numbered
updates. For the others, a thread goes on until it holds no lock, and that is taken back if it gets stuck. Of the
threads that can, the one is preferred whose events destroy least:

- a write over a value that is still to be read, if that value is still to be written again; else it may not. Nor may
  the last write of a value come while a thread that reads the value has other accesses of the location before;
- a notification that finds no thread waiting, while threads are still to wait; if these then lack one, it may not.

After a dead end the last choice is changed. Sound: each event was possible where it stands, and the check
(:mod:`mazurka.witness.thread_logs`) goes through it all again. Incomplete: it gives up after so many events, and leaves
the question to the solver, which is complete.

Cost: some microseconds for each event and thread.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple, Protocol

from mazurka.trace.event import READS, WRITES, Op
from mazurka.trace.trace import NO_VALUE
from mazurka.trace.waits import Wait

#: It gives up after so many events, and so many more for each event of the logs.
_PATIENCE: Final = 2_000
_PATIENCE_EACH: Final = 20

_NONE, _SOME, _STUCK = 0, 1, 2


class LogsOfThreads(Protocol):
    """The part of the logs that is looked at (:mod:`.thread_logs`)."""

    op: list[Op]
    thread: list[int]
    target: list[int]
    value: list[int]
    own: list[list[int]]
    index: list[int]
    needs: list[tuple[int, int]]
    data: list[int]
    conditions: list[int]
    locks: list[int]
    waits: list[Wait]


class _Alternatives(NamedTuple):
    """A state to return to, and the threads that may go on there instead."""

    mark: int
    others: list[int]


class Interleaving:
    """One search; ``initial`` has the known initial values."""

    def __init__(self, logs: LogsOfThreads, initial: Mapping[int, int]) -> None:
        self.logs = logs
        self.op, self.target, self.value, self.thread = logs.op, logs.target, logs.value, logs.thread
        self.rows = [
            [row for n, row in enumerate(own) if not n or READS[self.op[row]] or WRITES[self.op[row]]]
            for own in logs.own
        ]
        self.at = [0] * len(self.rows)
        self.order: list[int] = []
        self.taken_back: list[Callable[[], None]] = []  # by event of the order
        self.done: set[int] = set()
        self.needs: dict[int, list[int]] = defaultdict(list)
        for row, needed in logs.needs:
            self.needs[row].append(self._event_at(needed))
        self.data, self.locks, self.conditions = set(logs.data), set(logs.locks), set(logs.conditions)
        self.holder: dict[int, int] = {}
        self.depth: dict[int, int] = defaultdict(int)
        self.held = [0] * len(self.rows)  # by thread: levels of locks
        self.now = {x: initial.get(x, NO_VALUE) for x in self.data}
        self.accesses: dict[tuple[int, int], list[int]] = defaultdict(list)  # (location, thread) -> rows
        self.passed: dict[tuple[int, int], int] = defaultdict(int)
        self.accessing: dict[int, set[int]] = defaultdict(set)
        self.to_read: dict[tuple[int, int], dict[int, int]] = defaultdict(dict)  # by (location, value) and thread
        self.to_write: dict[tuple[int, int], int] = defaultdict(int)  # (location, value) -> writes still to come
        self._see_accesses()
        self.parks = {wait.parks: wait for wait in logs.waits}
        self.goes_on = {wait.goes_on: wait for wait in logs.waits}
        self.parked: dict[int, dict[int, int]] = {x: {} for x in self.conditions}  # wait -> when it was parked
        self.to_park = {x: sum(wait.condition == x for wait in logs.waits) for x in self.conditions}
        self.signals: dict[int, list[int]] = {x: [] for x in self.conditions}  # unused ones of single threads
        self.of_all: dict[int, list[int]] = {x: [] for x in self.conditions}
        self.to_notify, self.to_notify_all = dict.fromkeys(self.conditions, 0), dict.fromkeys(self.conditions, 0)
        for row, op in enumerate(self.op):
            if self.target[row] in self.conditions:
                self.to_notify[self.target[row]] += op is Op.NOTIFY
                self.to_notify_all[self.target[row]] += op is Op.NOTIFY_ALL
        self.left = _PATIENCE + _PATIENCE_EACH * sum(map(len, self.rows))

    def _event_at(self, row: int) -> int:
        """The last event of the thread up to a row."""
        own, at = self.logs.own[self.thread[row]], self.logs.index[row]
        while at and not (READS[self.op[own[at]]] or WRITES[self.op[own[at]]]):
            at -= 1
        return own[at]

    def _see_accesses(self) -> None:
        for rows in self.rows:
            for row in rows:
                if self.target[row] in self.data and self.op[row] in (Op.READ, Op.WRITE):
                    self.accesses[self.target[row], self.thread[row]].append(row)
                    self.accessing[self.target[row]].add(self.thread[row])
                    if self.op[row] is Op.WRITE:
                        self.to_write[self.target[row], self.value[row]] += 1
                    else:
                        readers = self.to_read[self.target[row], self.value[row]]
                        readers[self.thread[row]] = readers.get(self.thread[row], 0) + 1

    def run(self) -> list[int] | None:
        """All events in an order in which they can happen; None if none was found."""
        total, choices = sum(map(len, self.rows)), list[_Alternatives]()
        while self.left > 0:
            self._take_harmless()
            if len(self.order) == total:
                return self.order
            threads = self._threads_that_can()
            while not threads:
                if not choices:
                    return None
                mark, threads = choices.pop()
                self._take_back(mark)
            chosen = threads.pop(0)
            if threads:
                choices.append(_Alternatives(len(self.order), threads))
            self._go_on(chosen)
        return None

    def _threads_that_can(self) -> list[int]:
        """The threads that can go on until they hold no lock, or at least one event, those first that destroy least."""
        found = []
        for thread in range(len(self.rows)):
            mark = len(self.order)
            harm = self._go_on(thread)
            if len(self.order) > mark:
                found.append((harm, -len(self.order), thread))
            self._take_back(mark)
        return [thread for _, _, thread in sorted(found)]

    def _take_harmless(self) -> None:
        """All events that exclude no order."""
        threads = list(range(len(self.rows)))
        while threads:
            again = []
            for thread in threads:
                while self.at[thread] < len(self.rows[thread]):
                    row = self.rows[thread][self.at[thread]]
                    if not self._is_harmless(row) or not self._can(row):
                        break
                    self._do(row)
                    again = [t for t in range(len(self.rows)) if t != thread]
            threads = again

    def _is_harmless(self, row: int) -> bool:
        op, target = self.op[row], self.target[row]
        if row in self.goes_on or op is Op.ACQUIRE and target in self.locks:
            return False
        if op is Op.WRITE and target in self.data:
            return len(self.accessing[target]) < 2
        return op is not Op.NOTIFY and op is not Op.NOTIFY_ALL

    def _go_on(self, thread: int) -> int:
        """Have a thread go on until it holds no lock, or as far as it can; returns the harm that this does."""
        harm = 0
        while self.at[thread] < len(self.rows[thread]):
            row = self.rows[thread][self.at[thread]]
            if not self._can(row):
                return harm + 100
            cost = self._harm(row)
            if cost == _STUCK:
                return harm + 100
            harm += cost
            self._do(row)
            self.left -= 1
            if not self.held[thread]:
                break
        return harm

    # -- events -------------------------------------------------------------------------------------------------------

    def _can(self, row: int) -> bool:
        """Whether a thread's next event can take place."""
        op, target, thread = self.op[row], self.target[row], self.thread[row]
        if not all(needed in self.done for needed in self.needs.get(row, ())):
            return False
        if row in self.goes_on and self._signal(self.goes_on[row]) is None:
            return False
        if target in self.data and op is Op.READ:
            return self.now[target] == self.value[row]
        if target in self.locks and op is Op.ACQUIRE:
            return not self.depth[target] or self.holder[target] == thread
        return True

    def _signal(self, wait: Wait) -> int | None:
        """The oldest notification that can end a wait: when it came."""
        since = self.parked[wait.condition].get(wait.parks)
        if since is None:
            return None
        fitting = [at for at in (*self.of_all[wait.condition][-1:], *self.signals[wait.condition]) if at > since]
        return fitting[0] if fitting else None

    def _harm(self, row: int) -> int:
        op, target = self.op[row], self.target[row]
        if op is Op.WRITE and target in self.data:
            return self._harm_of_write(row)
        if op in (Op.NOTIFY, Op.NOTIFY_ALL) and target in self.conditions:
            return self._harm_of_notification(target, op)
        return _NONE

    def _harm_of_write(self, row: int) -> int:
        location, value, had = self.target[row], self.value[row], self.now[self.target[row]]
        harm = _NONE
        if had != value and any(self.to_read[location, had].values()):
            if not self.to_write[location, had]:
                return _STUCK
            harm = _SOME
        if self.to_write[location, value] > 1:
            return harm
        for thread, count in self.to_read[location, value].items():  # they have to read from this write
            at = self.passed[location, thread] + (thread == self.thread[row])
            accesses = self.accesses[location, thread]
            if count and (self.op[accesses[at]] is not Op.READ or self.value[accesses[at]] != value):
                return _STUCK
        return harm

    def _harm_of_notification(self, condition: int, op: Op) -> int:
        if self._unwoken(condition) or not self.to_park[condition]:
            return _NONE
        singly = self.to_notify[condition] - (op is Op.NOTIFY)
        of_all = self.to_notify_all[condition] - (op is Op.NOTIFY_ALL)
        return _SOME if of_all or singly >= self.to_park[condition] else _STUCK

    def _unwoken(self, condition: int) -> int:
        """How many parked threads no notification has woken yet."""
        last = self.of_all[condition][-1] if self.of_all[condition] else -1
        waiting = sorted(since for since in self.parked[condition].values() if since > last)
        woken = 0
        for signal in self.signals[condition]:
            woken += woken < sum(since < signal for since in waiting)
        return len(waiting) - woken

    def _do(self, row: int) -> None:
        op, target, thread = self.op[row], self.target[row], self.thread[row]
        when = len(self.order)
        undo: list[Callable[[], object]] = []
        if row in self.goes_on:
            over = self.goes_on[row]
            signal, waiting, signals = self._signal(over), self.parked[over.condition], self.signals[over.condition]
            since = waiting.pop(over.parks)
            undo.append(lambda: waiting.__setitem__(over.parks, since))
            if signal in signals:
                place = signals.index(signal)
                del signals[place]
                undo.append(lambda: signals.insert(place, signal))
        if target in self.data and op in (Op.READ, Op.WRITE):
            self._access(row, undo)
        elif target in self.locks and op in (Op.ACQUIRE, Op.RELEASE):
            self._lock(thread, target, op, undo)
        elif target in self.conditions and op is not Op.WAIT:
            listed = self.signals[target] if op is Op.NOTIFY else self.of_all[target]
            listed.append(when)
            undo.append(listed.pop)
            self._count(self.to_notify if op is Op.NOTIFY else self.to_notify_all, target, -1, undo)
        if row in self.parks:
            wait = self.parks[row]
            parked = self.parked[wait.condition]
            parked[row] = when
            undo.append(lambda: parked.pop(row))
            self._count(self.to_park, wait.condition, -1, undo)
        self.at[thread] += 1
        self.order.append(row)
        self.done.add(row)

        def take_back() -> None:
            self.at[thread] -= 1
            self.done.remove(self.order.pop())
            while undo:
                undo.pop()()

        self.taken_back.append(take_back)

    @staticmethod
    def _count(counts: dict[Any, int], key: Any, change: int, undo: list[Callable[[], object]]) -> None:
        counts[key] += change
        undo.append(lambda: counts.__setitem__(key, counts[key] - change))

    def _access(self, row: int, undo: list[Callable[[], object]]) -> None:
        location, value = self.target[row], self.value[row]
        self._count(self.passed, (location, self.thread[row]), 1, undo)
        if self.op[row] is Op.WRITE:
            had = self.now[location]
            self.now[location] = value
            undo.append(lambda: self.now.__setitem__(location, had))
            self._count(self.to_write, (location, value), -1, undo)
        else:
            self._count(self.to_read[location, value], self.thread[row], -1, undo)

    def _lock(self, thread: int, lock: int, op: Op, undo: list[Callable[[], object]]) -> None:
        change = 1 if op is Op.ACQUIRE else -1
        before = self.holder.get(lock, thread)
        self.holder[lock] = thread
        undo.append(lambda: self.holder.__setitem__(lock, before))
        self._count(self.depth, lock, change, undo)
        self.held[thread] += change
        undo.append(lambda: self.held.__setitem__(thread, self.held[thread] - change))

    def _take_back(self, mark: int) -> None:
        while len(self.order) > mark:
            self.taken_back.pop()()
