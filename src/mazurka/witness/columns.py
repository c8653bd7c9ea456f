"""Checks witnesses of recorded traces: the rules of :mod:`mazurka.witness.check` for long columns.

Every row is a step. The order of a witness is feasible if

1. of each thread it holds a prefix, in program order; a thread comes after its fork, a join after all that the joined
   thread does in the trace;
2. of a lock, whoever holds it is the only one to take it or give it back (re-entrant), and it is held when given back;
3. each read of data takes its value from the write that it had in the trace, or one of an equal recorded value, or is
   among ``unread``; what a write wrote is as recorded only if nothing unread comes before it in its thread;
4. what exists because of a value that was read is not there if that is unread: no branch comes after an unread step of
   its thread, and where the trace tells no branches nothing does;
5. a thread that waits goes on when a notification wakes it. Of those that wait a notification of one wakes who goes on
   first. Waits that nobody ended in the trace (their time ran out) may end at any time.

A target that is looked at, besides being taken and given back, is data whose takers need the release they had, too.

Shares no code with what searches for orders. Cost: a few passes of NumPy, some 0.2 microseconds an event of the order.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from mazurka.trace.columns import columns_of
from mazurka.trace.event import READS, WRITES, Op
from mazurka.trace.trace import NO_VALUE, Trace
from mazurka.witness.witness import Claim, Deadlocks, Intrudes, Ordered, Races, Witness

Numbers = NDArray[Any]

_NOBODY: Final = -1
_NEVER: Final = 1 << 40
_DATA: Final = (Op.READ, Op.WRITE, Op.RMW)
_LOCKING: Final = (Op.ACQUIRE, Op.RELEASE)
_WAITING: Final = (Op.WAIT, Op.NOTIFY, Op.NOTIFY_ALL)
_READS: Final = np.array(READS)
_WRITES: Final = np.array(WRITES)
_UNSERIALISABLE: Final = {(False, True, False), (True, True, False), (False, True, True), (True, False, True)}


class Recorded:
    """A trace and what is the same for all its witnesses. Rows are numbers of events, *places* indexes of an order."""

    def __init__(self, trace: Trace) -> None:
        self.trace = trace
        self.thread, self.op, self.target, self.value, _ = columns_of(trace)
        self.index = np.empty(len(trace), np.int64)  # its place in its thread
        for rows in trace.rows_of_thread:
            self.index[rows] = np.arange(len(rows))
        looked_at = np.zeros(len(trace.targets), bool)
        looked_at[self.target[np.isin(self.op, _DATA)]] = True
        self.is_read = _READS[self.op] & looked_at[self.target]
        self.is_write = _WRITES[self.op] & looked_at[self.target]
        every = np.arange(len(trace))
        self.reads, self.sources = np.full(len(trace), _NOBODY), np.full(len(trace), _NOBODY)
        read, source = self._sources(every)
        self.sources[read] = source
        first = read[source == _NOBODY]
        self.initial = np.full(len(trace.targets), NO_VALUE)
        self.initial[self.target[first]] = self.value[first]
        self.branches = bool((self.op == Op.BRANCH).any())
        lives = np.asarray(trace.thread_of_target)
        self.forks = self._lives(Op.FORK, lives)
        self.joins = self._lives(Op.JOIN, lives)
        self.timed_out: set[int] = set()
        self.timed_out = set(self._unwoken(every, {}))

    def _lives(self, op: Op, thread_of: Numbers) -> list[tuple[int, int]]:
        """(row, thread that it starts or joins)."""
        rows = np.flatnonzero(self.op == op)
        others = thread_of[self.target[rows]]
        return [(int(row), int(other)) for row, other in zip(rows, others, strict=True) if other >= 0]

    # -- the order ----------------------------------------------------------------------------------------------------

    def objections(self, witness: Witness) -> Iterator[str]:
        """Everything that speaks against a witness."""
        order = np.asarray(witness.order, np.int64)
        named = np.array([*_steps_of(witness.claim), *witness.unread], np.int64)
        if any(len(rows) and not 0 <= rows.min() <= rows.max() < len(self.trace) for rows in (order, named)):
            yield "a step is not in the trace"
            return
        self.place = np.full(len(self.trace), _NEVER)
        self.place[order] = np.arange(len(order))
        self.done = np.bincount(self.thread[order], minlength=len(self.trace.threads))
        yield from self._prefixes(order)
        yield from self._life()
        yield from self._locks(order)
        yield from self._kept(order, np.array(sorted(witness.unread), np.int64))
        standing = _steps_of(witness.claim) if isinstance(witness.claim, Races | Deadlocks) else ()
        for row in self._unwoken(order, {int(self.thread[row]): len(order) for row in standing}):
            yield f"thread {self._name(row)} goes on after step {row} although nobody has woken it"
        if witness.claim is not None:
            yield from self._claim(order, witness.claim)

    def _name(self, row: int) -> str:
        name: str = self.trace.threads[self.thread[row]]
        return name

    def _prefixes(self, order: Numbers) -> Iterator[str]:
        by_thread = order[np.argsort(self.thread[order], kind="stable")]
        begins = np.cumsum(self.done) - self.done
        wrong = self.index[by_thread] != np.arange(len(order)) - np.repeat(begins, self.done)
        for row in by_thread[wrong][:1]:
            yield f"thread {self._name(row)} does not start with the steps it started with"

    def _life(self) -> Iterator[str]:
        for row, thread in self.forks:
            own = self.trace.rows_of_thread[thread]
            if len(own) and self.place[own[0]] < self.place[row]:
                yield f"thread {self.trace.threads[thread]} begins before it is started"
        for row, thread in self.joins:
            own = self.trace.rows_of_thread[thread]
            if len(own) and self.place[row] < self.place[own[-1]]:
                yield f"thread {self.trace.threads[thread]} is joined before its end"

    def _by_target(self, rows: Numbers) -> tuple[Numbers, Numbers]:
        """The rows sorted by target, and for each where its target's begin."""
        rows = rows[np.argsort(self.target[rows], kind="stable")]
        new = np.ones(len(rows), bool)
        new[1:] = self.target[rows[1:]] != self.target[rows[:-1]]
        begins = np.maximum.accumulate(np.where(new, np.arange(len(rows)), 0))
        return rows, begins

    def _locks(self, order: Numbers) -> Iterator[str]:
        rows, begins = self._by_target(order[np.isin(self.op[order], _LOCKING)])
        total = np.cumsum(np.where(self.op[rows] == Op.ACQUIRE, 1, -1))
        depth = total - np.concatenate([[0], total])[begins]
        for row in rows[depth < 0][:1]:
            yield f"step {row} gives back a lock that nobody has"
        held = (depth[:-1] > 0) & (begins[:-1] == begins[1:]) & (self.thread[rows[:-1]] != self.thread[rows[1:]])
        for row in rows[1:][held][:1]:
            yield f"step {row} takes or gives back a lock that another thread has"
        last = np.append(begins[1:] != begins[:-1], True)[: len(rows)] & (depth > 0)
        self.holder = dict(zip(self.target[rows[last]].tolist(), self.thread[rows[last]].tolist(), strict=True))

    def _sources(self, order: Numbers) -> tuple[Numbers, Numbers]:
        """The reads among rows in this order, and the row that wrote what each reads."""
        rows, begins = self._by_target(order[self.is_read[order] | self.is_write[order]])
        written = np.where(self.is_write[rows], np.arange(len(rows)), _NOBODY)
        last = np.concatenate([[_NOBODY], np.maximum.accumulate(written)])[:-1]  # before, not with
        source = np.where(last >= begins, rows[last], _NOBODY) if len(rows) else rows
        reads = self.is_read[rows]
        return rows[reads], source[reads]

    def _kept(self, order: Numbers, unread: Numbers) -> Iterator[str]:
        """Reads give what they gave, except those that nothing depends on."""
        broken = np.full(len(self.trace.threads), _NEVER)  # by thread: its first unread step
        np.minimum.at(broken, self.thread[unread], self.index[unread])
        after = order[self.index[order] > broken[self.thread[order]]]
        for row in after[(self.op[after] == Op.BRANCH) | (not self.branches)][:1]:
            yield f"step {row} may depend on what its thread has read before"
        reads, sources = self._sources(order)
        free = np.isin(reads, unread)
        reads, sources = reads[~free], sources[~free]
        had = self.sources[reads]
        value = np.where(sources == _NOBODY, self.initial[self.target[reads]], self.value[sources])
        gave = np.where(had == _NOBODY, self.initial[self.target[reads]], self.value[had])
        same = (had == sources) | ((value == gave) & (value == self.value[reads]) & (value != NO_VALUE))
        for row in reads[~same][:1]:
            yield f"step {row} reads {self.trace.targets[self.target[row]]} from another write"
        kept = (sources == _NOBODY) | (self.index[sources] < broken[self.thread[sources]])
        for row in reads[~kept][:1]:
            yield f"step {row} reads what was written after something else had been read"
        self.broken = broken

    def _unwoken(self, order: Numbers, standing: dict[int, int]) -> Iterator[int]:
        """Waits after which their thread goes on, or stands before something, without having been woken."""
        rows = order[np.isin(self.op[order], _WAITING)].tolist()
        if not rows:
            return
        place = {row: at for at, row in enumerate(order.tolist())}
        parked: dict[int, list[tuple[int, int]]] = {}  # condition -> (place where the thread goes on, wait)
        for row in rows:
            here = parked.setdefault(int(self.target[row]), [])
            yield from (wait for goes_on, wait in here if goes_on < place[row])
            here[:] = [each for each in here if each[0] > place[row]]
            if self.op[row] != Op.WAIT:
                here.sort()
                del here[: None if self.op[row] == Op.NOTIFY_ALL else 1]
            elif row not in self.timed_out:
                thread = int(self.thread[row])
                own = self.trace.rows_of_thread[thread][self.index[row] + 1 :][:1].tolist()
                later = place.get(own[0], _NEVER) if own else _NEVER
                here.append((min(later, standing.get(thread, _NEVER)), row))
        yield from (wait for here in parked.values() for goes_on, wait in here if goes_on < _NEVER)

    # -- what is claimed ----------------------------------------------------------------------------------------------

    def _claim(self, order: Numbers, claim: Claim) -> Iterator[str]:
        match claim:
            case Races(first, second):
                yield from self._all_next((first, second))
                if self.thread[first] == self.thread[second] or not self._conflict(first, second):
                    yield f"steps {first} and {second} do not conflict"
            case Deadlocks(steps):
                yield from self._all_next(steps)
                yield from self._circle(steps)
            case Ordered(steps):
                yield from self._ordered(steps)
            case Intrudes(first, between, last):
                yield from self._ordered((first, between, last))
                yield from self._intrudes(first, between, last)
            case _:
                yield f"that a run {type(claim).__name__.lower()} can't be seen in a recorded trace"

    def _all_next(self, steps: Sequence[int]) -> Iterator[str]:
        for row in steps:
            thread = self.thread[row]
            unborn = any(other == thread and self.place[fork] == _NEVER for fork, other in self.forks)
            if unborn or self.index[row] != self.done[thread]:
                yield f"step {row} is not what its thread does next"
            if not self.branches and self.broken[thread] < self.index[row]:
                yield f"step {row} may depend on what its thread has read before"

    def _conflict(self, one: int, other: int) -> bool:
        return bool(
            self.target[one] == self.target[other]
            and self.op[one] in _DATA
            and self.op[other] in _DATA
            and (_WRITES[self.op[one]] or _WRITES[self.op[other]])
        )

    def _circle(self, steps: Sequence[int]) -> Iterator[str]:
        threads = [int(self.thread[row]) for row in steps]
        if len(steps) < 2 or len(set(threads)) < len(threads):
            yield "it takes two threads to block each other"
        for row, other in zip(steps, (*threads[1:], *threads[:1]), strict=True):
            if self.op[row] != Op.ACQUIRE or self.holder.get(int(self.target[row])) != other:
                yield f"step {row} does not wait for thread {self.trace.threads[other]}"

    def _ordered(self, steps: Sequence[int]) -> Iterator[str]:
        places = [int(self.place[row]) for row in steps]
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


def _steps_of(claim: Claim | None) -> tuple[int, ...]:
    """The steps that a claim names."""
    match claim:
        case Races(first, second):
            return first, second
        case Deadlocks(steps) | Ordered(steps):
            return steps
        case Intrudes(first, between, last):
            return first, between, last
    return ()
