"""Deadlocks of threads that wait for a notification that another order loses, or for a thread's end.

Definition. A *standstill* is a set of threads that never go on. Each of them stands before the acquire of a lock that
one of them holds, or before the join of one of them, or waits on a condition and no notification has come for it. If
one waits so, all other threads have ended or are never started: what a thread does past the end of the trace, or after
it has read something else than it did, nobody knows, and it might notify. A thread has ended after its END, or after
what it did before it was joined. Of a wait that does not tell which lock it gave up no lock counts as held.

Candidates. One wait of the trace is chosen that is never to end. What needs the rest of its thread can't happen: what
a thread does after joining it, after being woken by it, after being started by it. So it shows where every other
thread stops: at its end, before a join, in a wait; if one stops elsewhere nothing is claimed. The maximal causal model
is asked whether all can get there, with all notifications of the conditions that are waited for then coming before the
waits (but for those that end a wait of somebody else, as in the trace). If that can't be, threads are made to stop
before acquires, too, of locks that are held where others stop: a notification may never come because who would notify
is kept waiting by who waits.

Circles of locks and joins need none of that: where a thread that holds a lock joins another one, some thread is made to
stop before an acquire of this lock; if the join needs that thread, and the model lets both get there, it is one.
(Circles of locks alone: :mod:`mazurka.predict.deadlocks.lock_circles`.)

Looked for once by the place of the wait or of the join. Cost: at most :data:`_TRIES` questions to the model for each
wait, or pair of a join and an acquire, of which up to :data:`_ALIKE` at the same places are tried; and for each a walk
over starts, joins and waits.
"""

from __future__ import annotations

from collections import Counter, defaultdict, deque
from collections.abc import Hashable, Iterator
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from mazurka.causal.model import Question
from mazurka.trace.columns import columns_of
from mazurka.trace.event import READS, Op
from mazurka.trace.trace import Trace
from mazurka.trace.waits import NONE, Wait, waits_of
from mazurka.witness.witness import Halts

#: Questions about one candidate, and candidates of the same places.
_TRIES: Final = 24
_ALIKE: Final = 8

#: Threads that are made to stop before an acquire.
_DEEP: Final = 2


class Candidate(NamedTuple):
    """What is claimed, and what the model is asked; ``place``: what it is looked for once of."""

    place: Hashable
    claim: Halts
    question: Question


class _Section(NamedTuple):
    """Of one thread, outermost: rows."""

    lock: int
    begin: int
    end: int  # NONE: it is not left


#: By thread: how many of its events take place.
_Limits = NDArray[np.int64]

#: By thread: the event before which it is made to stop.
_Stops = dict[int, int]


class Standstills:
    """The candidates of a trace. Who asks says of which places one has been found: :meth:`found`."""

    def __init__(self, trace: Trace) -> None:
        self.trace = trace
        self.waits = waits_of(trace)
        self._joins = _joins_with_locks(trace)
        self._found: set[Hashable] = set()

    def found(self, candidate: Candidate) -> None:
        """It is one: no more of the same place are wanted."""
        self._found.add(candidate.place)

    def candidates(self) -> Iterator[Candidate]:
        """One after the other; those that are tried if the one before is not possible come last."""
        if not self.waits and not self._joins:
            return
        self._see()
        asked: Counter[Hashable] = Counter()
        ended = {wait.row for waits in self._notified.values() for wait in waits}
        for wait in self.waits:
            place = self._place(wait.row)
            asked[place] += 1
            if (wait.row in ended or wait.goes_on == NONE) and asked[place] <= _ALIKE:
                yield from self._of_wait(wait, place)
        yield from self._of_joins()

    # -- what a trace tells -------------------------------------------------------------------------------------------

    def _see(self) -> None:
        trace = self.trace
        self._index = np.empty(len(trace), np.int64)  # by row: its number in its thread
        for rows in trace.rows_of_thread:
            self._index[rows] = np.arange(len(rows))
        self._lengths = np.array([len(rows) for rows in trace.rows_of_thread], np.int64)
        self._notified: dict[int, list[Wait]] = {}  # by row that notifies: the waits that it ends
        self._starts: dict[int, int] = {}  # by row, a thread's first: what starts the thread
        self._ends: dict[int, int] = {}  # by row, a join: the last of the thread that is joined
        self._see_lives()
        self._see_notifications()
        self._sections = self._see_sections()
        self._goes_on = {wait.goes_on: wait for wait in self.waits if wait.goes_on != NONE}
        self._parked = {self._thread(wait.row): wait for wait in self.waits if wait.goes_on == NONE}
        woken = [(wait.goes_on, row) for row, waits in self._notified.items() for wait in waits if wait.goes_on != NONE]
        needs = np.array([*self._starts.items(), *self._ends.items(), *woken], np.int64).reshape(-1, 2)
        thread = np.asarray(trace.thread)
        self._needing, self._needed = [(thread[rows], self._index[rows]) for rows in needs.T]

    def _see_lives(self) -> None:
        trace, threads = self.trace, np.asarray(self.trace.thread_of_target)
        _, op, target, _, _ = columns_of(trace)
        for row in np.flatnonzero((op == Op.FORK) | (op == Op.JOIN)).tolist():
            other = int(threads[target[row]])
            own = np.asarray(trace.rows_of_thread[other] if other >= 0 else [], np.int64)
            here = int(np.searchsorted(own, row))
            if op[row] == Op.FORK and here < len(own):
                self._starts[int(own[here])] = row
            elif op[row] == Op.JOIN and here:
                self._ends[row] = int(own[here - 1])

    def _see_notifications(self) -> None:
        """Which waits each notification ends: the longest parked first, of those that go on."""
        _, op, target, _, _ = columns_of(self.trace)
        parks = {wait.parks: wait for wait in self.waits}
        parked: dict[int, list[Wait]] = {}
        signals = np.flatnonzero((op == Op.NOTIFY) | (op == Op.NOTIFY_ALL)).tolist()
        for row in sorted([*parks, *signals]):
            if row in parks:
                parked.setdefault(parks[row].condition, []).append(parks[row])
                continue
            here = [wait for wait in parked.get(int(target[row]), []) if not 0 <= wait.goes_on < row]
            ended = here if op[row] == Op.NOTIFY_ALL else sorted(here, key=lambda wait: wait.goes_on == NONE)[:1]
            parked[int(target[row])] = [wait for wait in here if wait not in ended]
            self._notified[row] = ended

    def _see_sections(self) -> list[list[_Section]]:
        thread, op, target, _, _ = columns_of(self.trace)
        rows = np.flatnonzero((op == Op.ACQUIRE) | (op == Op.RELEASE))
        taken: dict[tuple[int, int], list[int]] = {}
        found: list[list[_Section]] = [[] for _ in self.trace.threads]
        columns = (column[rows].tolist() for column in (thread, op, target))
        for row, t, done, lock in zip(rows.tolist(), *columns, strict=True):
            own = taken.setdefault((t, lock), [])
            if done == Op.ACQUIRE:
                own.append(row)
            elif own:
                begin = own.pop()
                found[t] += [] if own else [_Section(lock, begin, row)]
        for (t, lock), own in taken.items():
            found[t] += [_Section(lock, own[0], NONE)] if own else []
        return found

    def _thread(self, row: int) -> int:
        return int(self.trace.thread[row])

    def _place(self, row: int) -> Hashable:
        site = int(self.trace.site[row])
        return site if site >= 0 else ("target", int(self.trace.target[row]))

    # -- candidates ---------------------------------------------------------------------------------------------------

    def _of_wait(self, wait: Wait, place: Hashable) -> Iterator[Candidate]:
        """That one wait never ends."""
        first = {self._thread(wait.row): wait.goes_on} if wait.goes_on != NONE else {}
        tries, left = deque([first]), _TRIES
        while tries and left and place not in self._found:
            stops = tries.popleft()
            left -= 1
            limits = self._limits(stops)
            steps = self._steps(stops, limits)
            if wait.row in steps:
                yield Candidate(place, Halts(steps), self._question(steps, limits))
            if len(stops) - len(first) < _DEEP and len(tries) < left:
                tries += [{**stops, **more} for more in self._blocked(stops, limits)]

    def _limits(self, stops: _Stops) -> _Limits:
        """How far threads get if some of them stop."""
        limits = self._lengths.copy()
        for t, row in stops.items():
            limits[t] = self._index[row]
        (thread, number), (other, needed) = self._needing, self._needed
        while True:
            lost = (needed >= limits[other]) & (number < limits[thread])
            if not lost.any():
                return limits
            np.minimum.at(limits, thread[lost], number[lost])

    def _steps(self, stops: _Stops, limits: _Limits) -> tuple[int, ...]:
        """Where threads stop that never go on, waits first, then acquires; none if a thread may go on."""
        waits: list[int] = []
        others: list[int] = []
        for t, rows in enumerate(self.trace.rows_of_thread):
            if limits[t] == len(rows):
                if t in self._parked:
                    waits.append(self._parked[t].row)
                elif not self._has_ended(t):
                    return ()
                continue
            row = int(rows[limits[t]])
            if row in self._goes_on:
                waits.append(self._goes_on[row].row)
            elif stops.get(t) == row or self.trace.op[row] == Op.JOIN:
                others.append(row)
            elif row not in self._starts:
                return ()
        holders = self._holders(limits)
        acquires = [row for row in others if self.trace.op[row] == Op.ACQUIRE]
        if any(not holders[int(self.trace.target[row])] - {self._thread(row)} for row in acquires):
            return ()
        return (*waits, *acquires, *(row for row in others if row not in acquires))

    def _has_ended(self, thread: int) -> bool:
        """Whether a thread is known to have ended after its last event."""
        rows = self.trace.rows_of_thread[thread]
        if not len(rows):
            return False
        last = int(rows[-1])
        return bool(self.trace.op[last] == Op.END or (last in self._ends.values() and not READS[self.trace.op[last]]))

    def _question(self, steps: tuple[int, ...], limits: _Limits) -> Question:
        """Whether all threads get where they stop, and those that wait too late to be notified."""
        op, waits = self.trace.op, [wait for wait in self.waits if wait.row in steps]
        stopped = {self._thread(row) for row in steps if op[row] != Op.WAIT}
        happen = [
            int(rows[limits[t] - 1])
            for t, rows in enumerate(self.trace.rows_of_thread)
            if limits[t] and t not in stopped
        ]
        before = [(row, wait.parks) for wait in waits for row in self._waking(wait, limits)]
        joins = tuple(row for row in steps if op[row] == Op.JOIN)
        goes_on = tuple(wait.goes_on for wait in waits if wait.goes_on != NONE)
        starts = [self._starts[row] for row in joins if row in self._starts]
        acquires = tuple(row for row in steps if op[row] == Op.ACQUIRE)
        return Question((*happen, *starts), tuple(before), next=acquires, blocked=(*joins, *goes_on))

    def _waking(self, wait: Wait, limits: _Limits) -> Iterator[int]:
        """Notifications that would end a wait if they came after it."""
        for row, ended in self._notified.items():
            if self.trace.target[row] == wait.condition and self._happens(row, limits):
                elsewhere = any(each != wait and self._happens(each.goes_on, limits) for each in ended)
                if not elsewhere or self.trace.op[row] == Op.NOTIFY_ALL:
                    yield row

    def _happens(self, row: int, limits: _Limits) -> bool:
        return row != NONE and bool(self._index[row] < limits[self._thread(row)])

    def _blocked(self, stops: _Stops, limits: _Limits) -> Iterator[_Stops]:
        """Acquires before which one more thread may stop, because of locks held where threads stop; the last first."""
        holders = self._holders(limits)
        for t, sections in enumerate(self._sections):
            places: set[Hashable] = set()
            for section in reversed(sections if t not in stops else ()):
                place = self._place(section.begin)
                if holders[section.lock] - {t} and place not in places and self._happens(section.begin, limits):
                    places.add(place)
                    yield {t: section.begin}

    def _holders(self, limits: _Limits) -> dict[int, set[int]]:
        """By lock: the threads that hold it where they stop, and have not given it up untold, to wait."""
        found: dict[int, set[int]] = defaultdict(set)
        for t, rows in enumerate(self.trace.rows_of_thread):
            over = limits[t] == len(rows)
            wait = self._parked.get(t) if over else self._goes_on.get(int(rows[limits[t]]))
            if wait.lock != NONE if wait is not None else not over:
                for lock in self._held(t, int(limits[t])):
                    found[lock].add(t)
        return found

    def _held(self, thread: int, limit: int) -> Iterator[int]:
        """The locks that a thread has after so many events."""
        for lock, begin, end in self._sections[thread]:
            if self._index[begin] < limit and (end == NONE or self._index[end] >= limit):
                yield lock

    def _of_joins(self) -> Iterator[Candidate]:
        """That a thread joins another one that needs a lock of it."""
        asked: Counter[Hashable] = Counter()
        for join in self._joins:
            own = self._thread(join)
            held = set(self._held(own, int(self._index[join])))
            acquires = [each.begin for sections in self._sections for each in sections if each.lock in held]
            for acquire in acquires:
                place = self._place(join), self._place(acquire)
                if self._thread(acquire) == own or place in self._found or asked[place] >= _ALIKE:
                    continue
                asked[place] += 1
                joins = self._way(join, acquire)
                if joins:
                    starts = tuple(self._starts[row] for row in joins if row in self._starts)
                    yield Candidate(place, Halts((acquire, *joins)), Question(starts, next=(acquire,), blocked=joins))

    def _way(self, join: int, acquire: int) -> tuple[int, ...]:
        """The joins that wait for one another until one waits for who stops before an acquire; none if none does."""
        limits, row, found = self._limits({self._thread(acquire): acquire}), join, list[int]()
        while row != acquire:
            if self.trace.op[row] != Op.JOIN or self._index[row] != limits[self._thread(row)] or row in found:
                return ()
            found.append(row)
            rows = self.trace.rows_of_thread[self.trace.thread_of_target[self.trace.target[row]]]
            limit = int(limits[self._thread(int(rows[0]))])
            if limit == len(rows):
                return ()
            row = int(rows[limit])
        return tuple(found)


def _joins_with_locks(trace: Trace) -> list[int]:
    """The joins by threads that hold locks."""
    thread, op, _, _, _ = columns_of(trace)
    joins = np.zeros(len(trace.threads), np.bool_)
    joins[thread[op == Op.JOIN]] = True
    rows = np.flatnonzero(((op == Op.ACQUIRE) | (op == Op.RELEASE) | (op == Op.JOIN)) & joins[thread])
    own = rows[np.argsort(thread[rows], kind="stable")]
    depth = np.cumsum((op[own] == Op.ACQUIRE).astype(np.int64) - (op[own] == Op.RELEASE))
    begins = np.append(True, thread[own[1:]] != thread[own[:-1]])[: len(own)]
    before = np.append(0, depth[:-1])[: len(own)]
    depth -= before[np.maximum.accumulate(np.where(begins, np.arange(len(own)), 0))]
    return sorted(own[(op[own] == Op.JOIN) & (depth > 0)].tolist())
