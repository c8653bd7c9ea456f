"""Checks witnesses of recorded traces: the rules of :mod:`mazurka.witness.check` for long columns.

Every row is a step. The order of a witness is feasible if

1. it contains a prefix of each thread, in program order; a thread comes after its fork, a join after all events of the
   joined thread in the trace;
2. only the holder of a lock acquires it (again) or releases it, and a lock is held when it is released;
3. each read of data takes its value from its source in the trace, or from a write of an equal recorded value, or is
   among ``unread``; a write has its recorded value only if no unread step comes before it in its thread;
4. no event depends on the value of an unread step: no branch of its thread comes after it and, if the trace records no
   branches, no event of its thread, nor is the thread joined;
5. a thread that waits is parked, and goes on when a notification wakes it (:mod:`mazurka.witness.waits`). A
   notification of one thread wakes the waiting thread that goes on first. Waits without a notification in the trace
   (they timed out) may end at any time.

A lock that is looked at, besides being acquired and released, is data: each acquire needs its release in the trace,
too.

Shares no code with the search for orders. Cost: a few passes of NumPy, some 0.2 microseconds an event of the order;
only entries of the prefix that the order needs are looked up.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from functools import cached_property
from operator import itemgetter
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from mazurka.trace.columns import columns_of
from mazurka.trace.event import READS, WRITES, Op
from mazurka.trace.indexes import order_by
from mazurka.trace.trace import NO_VALUE, Trace
from mazurka.witness.waits import Parked, waits_in
from mazurka.witness.witness import (
    AtomicityViolation,
    Claim,
    CommunicationDeadlock,
    Deadlocks,
    Ordered,
    OrderViolation,
    PropertyViolation,
    Races,
    Witness,
)
from mazurka.witness.words import NEVER, violation_objections

Numbers = NDArray[Any]

_NONE: Final = -1
_EARLIER: Final = -2
_NEVER: Final = NEVER
_DATA: Final = (Op.READ, Op.WRITE, Op.RMW)
_LOCKING: Final = (Op.ACQUIRE, Op.RELEASE)
_NOTIFYING: Final = (Op.NOTIFY, Op.NOTIFY_ALL)
_READS: Final = np.array(READS)
_WRITES: Final = np.array(WRITES)
_IS_DATA: Final = np.isin(np.arange(len(READS)), _DATA)
_IS_LOCKING: Final = np.isin(np.arange(len(READS)), _LOCKING)
_UNSERIALISABLE: Final = {(False, True, False), (True, True, False), (False, True, True), (True, False, True)}

#: The number of events of each thread before a row is kept for every row whose number is a multiple of this.
_STRIDE: Final = 4096


class RecordedTrace:
    """A trace and the data common to all its witnesses. Rows are numbers of events; a row's *place* is its position
    in the execution of a witness: the rows of the prefix, then those of the order."""

    def __init__(self, trace: Trace) -> None:
        self.trace = trace
        self.thread, self.op, self.target, self.value, _ = columns_of(trace)
        self.index = np.empty(len(trace), np.int32)  # by row: the number of the event in its thread
        for rows in trace.rows_of_thread:
            self.index[rows] = np.arange(len(rows))
        strides = np.arange(0, len(trace) + 1, _STRIDE, dtype=np.int32)
        counted = [np.searchsorted(np.asarray(rows, np.int32), strides) for rows in trace.rows_of_thread]
        self.counts = np.array(counted, np.int32).reshape(len(counted), len(strides))
        self.parks, signals = self._see_waits()
        self.signals = np.array(signals, np.int64)  # events that park a thread, or notify
        self._see_accesses()
        self._see_locks()
        self.branches = bool((self.op == Op.BRANCH).any())
        self.forks, self.joins = self._lives(Op.FORK), self._lives(Op.JOIN)
        self.late_forks = self.forks  # the forks that are not in the prefix
        self.idle = self._joins_of_the_idle()
        self.prefix, self.order = len(trace), np.zeros(0, np.int64)
        self._later: dict[int, int] | None = None
        self.timed_out: set[int] = set()
        self.waiting = self.unread = frozenset[int]()
        self.timed_out = set(self._unwoken(self.signals, {}))

    def _see_accesses(self) -> None:
        looked_at = np.zeros(len(self.trace.targets), bool)
        looked_at[self.target[_IS_DATA[self.op]]] = True
        self.is_read = _READS[self.op] & looked_at[self.target]
        self.is_write = _WRITES[self.op] & looked_at[self.target]
        self.writes = _Latest(np.flatnonzero(self.is_write), self.target)
        first_write = np.full(len(self.trace.targets), len(self.trace))
        first_write[self.target[self.writes.rows[::-1]]] = self.writes.rows[::-1]  # the last assignment stays
        recorded = np.flatnonzero(self.is_read & ~self.is_write & (self.value != NO_VALUE))
        early = recorded[recorded <= first_write[self.target[recorded]]]
        self.initial = np.full(len(self.trace.targets), NO_VALUE)
        self.initial[self.target[early]] = self.value[early]

    def _see_locks(self) -> None:
        self.locking = _Latest(np.flatnonzero(_IS_LOCKING[self.op]), self.target)
        rows, begins = self.locking.rows, self.locking.begins
        total = np.concatenate([[0], np.cumsum(np.where(self.op[rows] == Op.ACQUIRE, 1, -1))])
        self.depth = np.zeros(
            len(self.trace) + 1, np.int32
        )  # by row: how often its lock is held then; 0 after the last
        self.depth[rows] = total[1:] - total[:-1][begins]

    def _see_waits(self) -> tuple[dict[int, Parked], list[int]]:
        """The waits, by the row from which on the thread is parked; and these rows and those that notify, ascending."""
        parks = {wait.since: wait for wait in waits_in(self.trace, self.op, self.target)}
        signals = np.flatnonzero(np.isin(self.op, _NOTIFYING)).tolist()
        return parks, sorted([*signals, *parks])

    def _lives(self, op: Op) -> list[tuple[int, Numbers]]:
        """The rows that start (or join) a thread, each with the thread's rows."""
        found = []
        threads = np.asarray(self.trace.thread_of_target)
        for row in np.flatnonzero(self.op == op).tolist():
            if threads[self.target[row]] >= 0:
                own = self.trace.rows_of_thread[threads[self.target[row]]]
                found.append((row, own[own > row] if op is Op.FORK else own[own < row]))
        return found

    def _joins_of_the_idle(self) -> dict[int, int]:
        """The rows that join a thread without events, each with the row that started it."""
        busy, found = {row for row, own in self.joins if len(own)}, dict[int, int]()
        forks: dict[int, int] = {}
        for row in np.flatnonzero((self.op == Op.FORK) | (self.op == Op.JOIN)).tolist():
            target = int(self.target[row])
            if self.op[row] == Op.FORK:
                forks[target] = row
            elif row not in busy and target in forks:
                found[row] = forks[target]
        return found

    # -- the order ----------------------------------------------------------------------------------------------------

    def objections(self, witness: Witness) -> Iterator[str]:
        """Everything that speaks against a witness."""
        order = np.asarray(witness.order, np.int64)
        named = [*_steps_of(witness.claim), *witness.unread, int(order.min(initial=0)), int(order.max(initial=0))]
        if not 0 <= min(named) <= max(named, default=0) < len(self.trace) or not 0 <= witness.prefix <= len(self.trace):
            yield "a step is not in the trace"
            return
        self.prefix, self.order, self._later = witness.prefix, order, None
        self.late_forks = self.forks[bisect_left(self.forks, self.prefix, key=itemgetter(0)) :]
        op = self.op[order]
        yield from self._in_program_order(order)
        yield from self._life(order[op == Op.JOIN])
        yield from self._locks(order[_IS_LOCKING[op]])
        yield from self._kept(order, np.array(sorted(witness.unread), np.int64))
        claimed = _standing(witness.claim)
        self.unread = witness.unread
        self.waiting = frozenset(row for row in claimed if self.op[row] == Op.WAIT)
        standing = frozenset(claimed) - self.waiting
        signals = self.signals[self.signals < self.prefix]
        if len(self.signals):
            signals = np.concatenate([signals, order[np.isin(order, self.signals)]])
        for row in self._unwoken(signals, {int(self.thread[row]): _NEVER - 1 for row in standing}):
            yield f"thread {self._name(row)} goes on after step {row} although no thread has woken it"
        if witness.claim is not None:
            yield from self._claim(witness.claim)

    def _place(self, row: int) -> int:
        if row < self.prefix:
            return row
        if self._later is None:  # made when needed, which is rare
            self._later = dict(zip(self.order.tolist(), range(self.prefix, self.prefix + len(self.order)), strict=True))
        return self._later.get(row, _NEVER)

    def _name(self, row: int) -> str:
        name: str = self.trace.threads[self.thread[row]]
        return name

    def _in_program_order(self, order: Numbers) -> Iterator[str]:
        thread = self.thread[order]
        done = np.bincount(thread, minlength=len(self.trace.threads))
        stride = self.prefix // _STRIDE
        since = self.thread[stride * _STRIDE : self.prefix]
        before = self.counts[:, stride] + np.bincount(since, minlength=len(done))
        self.done = before + done
        by_thread = order[order_by(thread)]
        first = before - (np.cumsum(done) - done)
        wrong = self.index[by_thread] != np.arange(len(order)) + np.repeat(first, done)
        for row in by_thread[wrong][:1]:
            yield f"thread {self._name(row)} does not start with the same steps as in the trace"

    def _life(self, joining: Numbers) -> Iterator[str]:
        """Objections to the order of starts, events and joins of threads; ``joining`` are the rows that join."""
        for row, own in self.late_forks:
            if len(own) and self._place(int(own[0])) < self._place(row):
                yield f"thread {self._name(own[0])} does something before it is started"
        for row, own in self.joins if len(joining) else ():
            if row in joining and len(own) and self._place(row) < self._place(int(own[-1])):
                yield f"thread {self._name(own[-1])} is joined before its end"
        for row in joining.tolist():
            if self._place(row) < self._place(self.idle.get(row, row)):
                yield f"step {row} joins a thread before it is started"

    def _locks(self, order: Numbers) -> Iterator[str]:
        taking = _Latest(order, self.target)
        rows, begins, targets = taking.rows, taking.begins, taking.targets
        first = begins == np.arange(len(rows))
        had = self._before_all(self.locking, targets[first])[np.cumsum(first) - 1]  # -1, after the last: a free lock
        total = np.concatenate([[0], np.cumsum(np.where(self.op[rows] == Op.ACQUIRE, 1, -1))])
        depth = self.depth[had] + total[1:] - total[:-1][begins]
        for row in rows[depth < 0][:1]:
            yield f"step {row} releases a lock that no thread holds"
        thread = self.thread[rows]
        holder = np.where(first, self.thread[had], np.concatenate([[_NONE], thread])[:-1])
        depth_before = np.where(first, self.depth[had], np.concatenate([[0], depth])[:-1])
        for row in rows[(depth_before > 0) & (holder != thread)][:1]:
            yield f"step {row} acquires or releases a lock that another thread holds"
        last = np.append(first[1:], True)[: len(rows)]
        holders = np.where(depth[last] > 0, thread[last], _NONE)
        self.holders = dict(zip(targets[last].tolist(), holders.tolist(), strict=True))

    def _holder(self, lock: int) -> int:
        """The thread that holds a lock at the end, or -1."""
        if lock not in self.holders:
            row = int(self._before_all(self.locking, np.array([lock]))[0])
            return int(self.thread[row]) if self.depth[row] > 0 else _NONE
        holder: int = self.holders[lock]
        return holder

    def _kept(self, order: Numbers, unread: Numbers) -> Iterator[str]:
        """Objections to reads with other values on which an event depends."""
        broken = self.broken = np.full(len(self.trace.threads), _NEVER)  # by thread: its first unread step
        reads, sources = self._sources(order)
        had = self.writes.before(self.target[reads], reads)
        early = (sources == _EARLIER) & (had < self.prefix)  # the last write before the read is in the prefix
        sources[early] = had[early]
        unsure = sources == _EARLIER
        sources[unsure] = self._before_all(self.writes, self.target[reads[unsure]])
        if len(unread):
            np.minimum.at(broken, self.thread[unread], self.index[unread])
            after = order[self.index[order] > broken[self.thread[order]]]
            for row in after[(self.op[after] == Op.BRANCH) | (not self.branches)][:1]:
                yield f"step {row} may depend on earlier reads of its thread"
            yield from () if self.branches else self._ends()
            free = np.isin(reads, unread)
            reads, sources, had = reads[~free], sources[~free], had[~free]
            kept = (sources == _NONE) | (self.index[sources] < broken[self.thread[sources]])
            for row in reads[~kept][:1]:
                yield f"step {row} reads from a write whose thread had read another value before"
        other = had != sources
        reads, sources, had = reads[other], sources[other], had[other]
        value = np.where(sources == _NONE, self.initial[self.target[reads]], self.value[sources])
        gave = np.where(had == _NONE, self.initial[self.target[reads]], self.value[had])
        same = (value == gave) & (value == self.value[reads]) & (value != NO_VALUE) & ~self.is_write[reads]
        for row in reads[~same][:1]:
            yield f"step {row} reads {self.trace.targets[self.target[row]]} from another write"

    def _ends(self) -> Iterator[str]:
        """Objections to joins of threads that might not end: without branches, those with another value in their last
        reads."""
        for row, own in self.joins:
            joined = self.prefix <= row and len(own) and self._place(row) < _NEVER
            if joined and self.broken[self.thread[own[-1]]] < _NEVER:
                yield f"thread {self._name(own[-1])} is joined, whose end may depend on its earlier reads"

    def _sources(self, order: Numbers) -> tuple[Numbers, Numbers]:
        """The reads of an order, and the row of each source, unless that was before the order."""
        accesses = _Latest(order[self.is_read[order] | self.is_write[order]], self.target)
        rows, begins = accesses.rows, accesses.begins
        written = np.where(self.is_write[rows], np.arange(len(rows)), _NONE)
        last = np.concatenate([[_NONE], np.maximum.accumulate(written)])[:-1]  # without the row itself
        reads = self.is_read[rows]
        return rows[reads], np.where(last >= begins, rows[last], _EARLIER)[reads]

    def _before_all(self, latest: _Latest, targets: Numbers) -> Numbers:
        """The latest row of each target in the prefix, or -1."""
        return latest.before(targets, np.full(len(targets), self.prefix))

    def _unwoken(self, rows: Numbers, standing: dict[int, int]) -> Iterator[int]:
        """Waits after which the thread goes on, or stands before a step, without having been woken."""
        parked: dict[int, list[tuple[int, int]]] = {}  # condition -> (place where the thread goes on, wait)
        for row in rows.tolist():
            wait = self.parks.get(row)
            here = parked.setdefault(int(self.target[row if wait is None else wait.row]), [])
            yield from (wait for goes_on, wait in here if goes_on < self._place(row))
            here[:] = [each for each in here if each[0] > self._place(row)]
            if wait is None:
                here.sort(key=lambda each: (each[0], self.parks[each[1]].row in self.waiting))
                del here[: None if self.op[row] == Op.NOTIFY_ALL else 1]
            elif row not in self.timed_out:
                goes_on = self._place(wait.goes_on) if wait.goes_on >= 0 else _NEVER
                here.append((min(goes_on, standing.get(int(self.thread[row]), _NEVER)), row))
        yield from (wait for here in parked.values() for goes_on, wait in here if goes_on < _NEVER)
        self.parked = [wait for here in parked.values() for goes_on, wait in here if goes_on == _NEVER]

    # -- claims -------------------------------------------------------------------------------------------------------

    def _claim(self, claim: Claim) -> Iterator[str]:
        match claim:
            case Races(first, second):
                yield from self._all_next((first, second))
                if self.thread[first] == self.thread[second] or not self._conflict(first, second):
                    yield f"steps {first} and {second} do not conflict"
            case Deadlocks(steps):
                yield from self._all_next(steps)
                yield from self._cycle(steps)
            case CommunicationDeadlock(steps):
                yield from self._halts(steps)
            case Ordered(steps):
                yield from self._ordered(steps)
            case AtomicityViolation(first, between, last):
                yield from self._ordered((first, between, last))
                yield from self._intrudes(first, between, last)
            case OrderViolation(first, second):
                yield from self._inverts(first, second)
            case PropertyViolation():
                yield from violation_objections(claim, self.trace, self._place, self._all_next)
            case _:
                yield f"a claim {type(claim).__name__} can't be made about a recorded trace"

    def _all_next(self, steps: Sequence[int]) -> Iterator[str]:
        for row in steps:
            thread = self.thread[row]
            unborn = any(_is_in(own, row) and self._place(fork) == _NEVER for fork, own in self.late_forks)
            if unborn or self.index[row] != self.done[thread]:
                yield f"step {row} is not the next step of its thread"
            if not self.branches and self.broken[thread] < self.index[row]:
                yield f"step {row} may depend on earlier reads of its thread"

    def _conflict(self, one: int, other: int) -> bool:
        return bool(
            self.target[one] == self.target[other]
            and self.op[one] in _DATA
            and self.op[other] in _DATA
            and (_WRITES[self.op[one]] or _WRITES[self.op[other]])
        )

    def _cycle(self, steps: Sequence[int]) -> Iterator[str]:
        threads = [int(self.thread[row]) for row in steps]
        if len(steps) < 2 or len(set(threads)) < len(threads):
            yield "it takes two threads to block each other"
        for row, other in zip(steps, (*threads[1:], *threads[:1]), strict=True):
            if self._awaited(row) != other:
                yield f"step {row} does not wait for thread {self.trace.threads[other]}"

    def _awaited(self, row: int) -> int:
        """The thread for which a step has to wait, or -1: the holder of the lock that it acquires, or the thread that
        it joins, if that has events left before the join."""
        if self.op[row] == Op.ACQUIRE:
            return self._holder(int(self.target[row]))
        other = int(self.trace.thread_of_target[self.target[row]]) if self.op[row] == Op.JOIN else _NONE
        if other < 0 or self.done[other] >= _place_in(np.asarray(self.trace.rows_of_thread[other]), row):
            return _NONE
        return other

    def _halts(self, steps: Sequence[int]) -> Iterator[str]:
        threads = {int(self.thread[row]) for row in steps}
        if len(threads) < len(steps) or not steps:
            yield "each thread that does not go on is named once"
        for row in steps:
            if row in self.waiting:
                yield from self._sleeps(row)
                continue
            yield from self._all_next((row,))
            for_whom = self._awaited(row)
            vague = any(self.parks[wait].lock == _NONE and self.thread[wait] == for_whom for wait in self.parked)
            if for_whom not in threads or for_whom == self.thread[row] or (vague and self.op[row] == Op.ACQUIRE):
                yield f"step {row} waits for none of the threads that do not go on"
        if self.waiting:
            yield from self._no_others(threads)

    def _sleeps(self, row: int) -> Iterator[str]:
        """Objections, unless the thread of a wait is parked, and has executed all events before it goes on."""
        wait = next(
            (self.parks[park] for park in self.parked if self.parks[park].row == row), Parked(row, row, row, row)
        )
        own = self.trace.rows_of_thread[self.thread[row]]
        done = self.index[wait.goes_on] if wait.goes_on >= 0 else len(own)
        if wait.goes_on == row or self.done[self.thread[row]] != done:
            yield f"step {row} does not leave its thread waiting"

    def _no_others(self, threads: set[int]) -> Iterator[str]:
        """Objections, unless no other thread can take a step."""
        forks = {int(self.thread[own[0]]): row for row, own in self.forks if len(own)}
        children = np.asarray(self.trace.thread_of_target)
        joined = {int(self.thread[own[0]]) for _, own in self.joins if len(own)}
        for thread, own in enumerate(self.trace.rows_of_thread):
            if thread in threads or (thread in forks and self._place(forks[thread]) == _NEVER):
                continue
            last = int(own[-1]) if len(own) else _NONE
            ends = last >= 0 and (self.op[last] == Op.END or (thread in joined and last not in self.unread))
            if not ends or self.done[thread] < len(own):
                yield f"thread {self.trace.threads[thread]} could go on, and notify"
        for row in np.flatnonzero(self.op == Op.FORK).tolist():
            if children[self.target[row]] < 0 and self._place(row) < _NEVER:
                yield f"the thread that step {row} starts is not in the trace"

    def _ordered(self, steps: Sequence[int]) -> Iterator[str]:
        places = [self._place(row) for row in steps]
        if _NEVER in places or places != sorted(set(places)):
            yield f"steps {', '.join(map(str, steps))} do not take place in this order"

    def _intrudes(self, first: int, between: int, last: int) -> Iterator[str]:
        own = self.trace.rows_of_thread[self.thread[first]]
        own = own[(self.target[own] == self.target[first]) & np.isin(self.op[own], _DATA)]
        here = int(np.searchsorted(own, first))
        if self.thread[between] == self.thread[first] or own[here : here + 2].tolist() != [first, last]:
            yield f"steps {first} and {last} are not consecutive accesses by another thread than that of {between}"
        if not self._conflict(first, between) and not self._conflict(between, last):
            yield f"step {between} does not conflict with {first} or {last}"
        elif tuple(bool(_WRITES[self.op[row]]) for row in (first, between, last)) not in _UNSERIALISABLE:
            yield f"steps {first}, {between} and {last} could have been executed one after the other"

    def _inverts(self, first: int, second: int) -> Iterator[str]:
        if second >= first or self.thread[first] == self.thread[second]:
            yield f"steps {first} and {second} do not come in the other order, and by two threads, in the trace"
        used, place = (second if self.op[first] == Op.FREE else first), self.target[second]
        if self.op[used] not in _DATA:
            yield f"step {used} is no use of a location"
        elif used == second:
            yield from self._ordered((first, second))
            freed, name = (str(self.trace.targets[self.target[row]][-1]) for row in (first, second))
            if name != freed and not name.startswith((f"{freed}.", f"{freed}[")):
                yield f"step {first} does not free the location that step {second} uses"
        else:
            if not self._place(first) < self._place(second):
                yield f"step {first} does not take place before step {second}"
            touched = np.isin(self.op[:second][self.target[:second] == place], _DATA).any()
            if self.target[first] != place or self.op[second] != Op.WRITE or touched:
                yield f"step {second} does not initialise the location that step {first} uses"


class _Latest:
    """Rows in an order, grouped by target."""

    def __init__(self, order: Numbers, target: Numbers) -> None:
        targets = target[order]
        by_target = order_by(targets)
        self.rows, self.targets = order[by_target], targets[by_target]

    @property
    def begins(self) -> Numbers:
        """For each row, the first row of its target."""
        new = np.ones(len(self.rows), bool)
        new[1:] = self.targets[1:] != self.targets[:-1]
        return np.maximum.accumulate(np.where(new, np.arange(len(self.rows)), 0))

    @cached_property
    def _keys(self) -> Numbers:
        keys: Numbers = self.targets.astype(np.int64) << 32 | self.rows
        return keys

    def before(self, targets: Numbers, rows: Numbers) -> Numbers:
        """The latest row of each target before a row, or -1; only for rows in the order of the trace."""
        found = np.searchsorted(self._keys, targets.astype(np.int64) << 32 | rows) - 1
        if not len(self.rows):
            return found
        return np.where((found >= 0) & (self.targets[found] == targets), self.rows[found], _NONE)


def _place_in(rows: Numbers, row: int) -> int:
    """The number of ascending rows before ``row``, which is converted to their type, since otherwise all rows would be
    copied."""
    return int(np.searchsorted(rows, rows.dtype.type(row)))


def _is_in(rows: Numbers, row: int) -> bool:
    """Whether a row is among ascending rows."""
    place = _place_in(rows, row)
    return bool(place < len(rows) and rows[place] == row)


def _standing(claim: Claim | None) -> tuple[int, ...]:
    """The steps of a claim that do not take place, but are next, or with which threads wait."""
    match claim:
        case Races() | Deadlocks() | CommunicationDeadlock():
            return _steps_of(claim)
        case PropertyViolation(steps=steps, at_once=True):
            return steps[-2:]
    return ()


def _steps_of(claim: Claim | None) -> tuple[int, ...]:
    """The steps that a claim names."""
    match claim:
        case Races(first, second):
            return first, second
        case Deadlocks(steps) | CommunicationDeadlock(steps) | Ordered(steps):
            return steps
        case AtomicityViolation(first, between, last):
            return first, between, last
        case OrderViolation(first, second):
            return first, second
        case PropertyViolation(steps=steps):
            return steps
    return ()
