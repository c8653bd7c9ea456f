"""Deadlocks of threads that wait for a notification that is lost in another order, or for a thread's end.

Definition. A *communication deadlock* is a set of threads that never go on. Each of them stands before the acquire of a
lock that one of them holds, or before the join of one of them, or waits on a condition and no notification has come for
it. If one of them waits on a condition, all threads outside the set have ended or are never started: the steps of a
thread past the end of the trace, or after it has read another value, are unknown, and might notify. A thread has ended
after its END, or after its last event before it was joined. If a wait does not show which lock it gave up, no lock
counts as held by its thread.

Candidates. One wait of the trace is chosen that shall never end. Events that need the rest of its thread can't happen:
events of a thread after it joins that thread, after it is woken by it, or after it is started by it. This determines
where every other thread stops: at its end, before a join, or in a wait; if one stops elsewhere, there is no candidate.
The maximal causal model is asked whether all threads can get there, with all notifications of the conditions waited for
coming before the waits (except those that end a wait of another thread, as in the trace). If they can't, further
threads are made to stop before acquires of locks that are held where others stop: a notification may never come because
its thread waits for a lock that a waiting thread holds.

To find all deadlocks, or report that some candidates are undecided, no notification may be assumed to belong to a
certain wait (wakers.py). So if there are few other places where threads may stop, in waits that need not be lost with
the first one and before any such acquire, all combinations are tried. The wait is undecided if the model refutes a
combination only because it keeps notifications to their waits, or if a thread ends with a read that may not have been
its last event.

Cycles of locks and joins need none of that: :mod:`mazurka.predict.deadlocks.lock_cycles`.

One deadlock is searched for at each place of a wait. Cost: up to :data:`_ALIKE` waits at the same place are tried, each
with at most :data:`_TRIES` questions to the model, and further :data:`_WAYS` if there are no more combinations than
that; each question takes a pass over starts, joins and waits.
"""

from __future__ import annotations

from collections import Counter, defaultdict, deque
from collections.abc import Callable, Hashable, Iterator
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from mazurka.causal.question import Before, Question
from mazurka.predict.wakers import ended_by, wakers_of
from mazurka.trace.columns import columns_of
from mazurka.trace.event import READS, Op
from mazurka.trace.ids import StepIndex
from mazurka.trace.trace import Trace
from mazurka.trace.waits import NONE, Wait, waits_of
from mazurka.witness.witness import CommunicationDeadlock

#: The most questions about one wait, and waits at the same place.
_TRIES: Final = 24
_ALIKE: Final = 8

#: The most threads that are made to stop before an acquire.
_DEEP: Final = 2

#: If there are at most so many combinations of stops, all are tried.
_WAYS: Final = 200


class BlockedCandidate(NamedTuple):
    """A claim, the question to the model about it, and the question (``loosely``) to the loose model, which may refute
    it; one deadlock is searched for at each ``place``."""

    place: Hashable
    claim: CommunicationDeadlock
    question: Question
    loosely: Question


class _Section(NamedTuple):
    """An outermost section of a thread; ``begin`` and ``end`` are rows."""

    lock: int
    begin: int
    end: int  # NONE: it is not left


class _Needs(NamedTuple):
    """Events that need others, which must take place before: for both the thread, and the number of the event in it."""

    thread: NDArray[np.int32]
    number: NDArray[np.int64]
    other: NDArray[np.int32]
    needed: NDArray[np.int64]


#: For each thread the number of its events that take place.
_Limits = NDArray[np.int64]

#: By thread: the row before which it is made to stop.
_Stops = dict[int, int]


class CommunicationDeadlocks:
    """The candidates of a trace. The caller reports the deadlocks found by :meth:`found`. ``left`` are the places that
    are undecided, as not all combinations have been tried."""

    def __init__(self, trace: Trace) -> None:
        self.trace = trace
        self.waits = waits_of(trace)
        self.left: set[Hashable] = set()
        self._found: set[Hashable] = set()

    def found(self, candidate: BlockedCandidate) -> None:
        """The candidate is a deadlock: no more of the same place are wanted."""
        self._found.add(candidate.place)

    def candidates(self) -> Iterator[BlockedCandidate]:
        """The candidates one after the other; those that are only of use if earlier ones are refuted come last."""
        if not self.waits:
            return
        self._see()
        asked: Counter[Hashable] = Counter()
        for wait in self.waits:
            if wait.row not in self._ended and wait.goes_on != NONE:
                continue
            place = self._place(wait.row)
            asked[place] += 1
            if asked[place] <= _ALIKE:
                yield from self._of_wait(wait, place)
            else:
                self.left.add(place)

    # -- facts of a trace ---------------------------------------------------------------------------------------------

    def _see(self) -> None:
        trace = self.trace
        self._index = np.empty(len(trace), np.int64)  # by row: the number of the event in its thread
        for rows in trace.rows_of_thread:
            self._index[rows] = np.arange(len(rows))
        self._lengths = np.array([len(rows) for rows in trace.rows_of_thread], np.int64)
        self._notified = ended_by(trace, self.waits)  # by row that notifies: the waits that it ends
        self._ended = {wait.row for waits in self._notified.values() for wait in waits}
        self._starts: dict[int, int] = {}  # by row, a thread's first: the row that starts the thread
        self._ends: dict[int, int] = {}  # by row, a join: the last row of the thread that is joined
        self._see_lives()
        self._sections = self._see_sections()
        self._goes_on = {wait.goes_on: wait for wait in self.waits if wait.goes_on != NONE}
        self._parked = {self._thread(wait.row): wait for wait in self.waits if wait.goes_on == NONE}
        woken = [(wait.goes_on, row) for row, waits in self._notified.items() for wait in waits if wait.goes_on != NONE]
        self._wakers = wakers_of(trace, self.waits)
        self._needs = self._needs_with(woken)
        self._loose_needs = self._needs_with([(row, waker.row) for row, waker in self._wakers.items()])

    def _needs_with(self, woken: list[tuple[int, int]]) -> _Needs:
        needs = np.array([*self._starts.items(), *self._ends.items(), *woken], np.int64).reshape(-1, 2)
        thread = np.asarray(self.trace.thread)
        (needing, number), (other, needed) = [(thread[rows], self._index[rows]) for rows in needs.T]
        return _Needs(needing, number, other, needed)

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

    def _of_wait(self, wait: Wait, place: Hashable) -> Iterator[BlockedCandidate]:
        """The candidates in which this wait never ends."""
        first = {self._thread(wait.row): wait.goes_on} if wait.goes_on != NONE else {}
        tries, left, tried = deque([first]), _TRIES, set[bytes]()
        while tries and left and place not in self._found:
            stops = tries.popleft()
            left -= 1
            limits = self._limits(stops, self._needs)
            tried.add(limits.tobytes())
            yield from self._candidate(wait, place, stops, limits)
            if len(stops) - len(first) < _DEEP and len(tries) < left:
                tries += [{**stops, **more} for more in self._blocked(stops, limits, once=True)]
        ways = self._ways(first) if place not in self._found else []
        if len(ways) > _WAYS:
            self.left.add(place)
            return
        for stops, limits in ways:
            if place not in self._found and limits.tobytes() not in tried:
                yield from self._candidate(wait, place, stops, limits)

    def _ways(self, first: _Stops) -> list[tuple[_Stops, _Limits]]:
        """All combinations of stops that include ``first``, for all matches of notifications; some of them, if there
        are too many."""
        ways: dict[bytes, tuple[_Stops, _Limits]] = {}
        tries = [first]
        while tries and len(ways) <= _WAYS:
            stops = tries.pop()
            limits = self._limits(stops, self._loose_needs)
            if limits.tobytes() not in ways:
                ways[limits.tobytes()] = stops, limits
                more = (*self._asleep(stops, limits), *self._blocked(stops, limits, once=False))
                tries += [{**stops, **each} for each in more]
        return list(ways.values())

    def _asleep(self, stops: _Stops, limits: _Limits) -> Iterator[_Stops]:
        """Waits in which one more thread may stop."""
        for wait in self.waits:
            thread = self._thread(wait.row)
            if wait.row in self._ended and thread not in stops and self._happens(wait.goes_on, limits):
                yield {thread: wait.goes_on}

    def _candidate(self, wait: Wait, place: Hashable, stops: _Stops, limits: _Limits) -> Iterator[BlockedCandidate]:
        steps = self._steps(stops, limits)
        if wait.row not in steps:
            return
        if not all(map(self._has_ended, self._over(limits))):
            self.left.add(place)
            return
        question = self._question(steps, limits, self._waking)
        claim = CommunicationDeadlock(tuple(map(StepIndex, steps)))
        yield BlockedCandidate(place, claim, question, self._question(steps, limits, self._surely_waking))

    def _limits(self, stops: _Stops, needs: _Needs) -> _Limits:
        """The number of events that each thread can execute if some threads stop."""
        limits = self._lengths.copy()
        for t, row in stops.items():
            limits[t] = self._index[row]
        while True:
            lost = (needs.needed >= limits[needs.other]) & (needs.number < limits[needs.thread])
            if not lost.any():
                return limits
            np.minimum.at(limits, needs.thread[lost], needs.number[lost])

    def _over(self, limits: _Limits) -> Iterator[int]:
        """The threads of which all events take place, and that do not wait at their end."""
        for t, length in enumerate(self._lengths.tolist()):
            if limits[t] == length and t not in self._parked:
                yield t

    def _steps(self, stops: _Stops, limits: _Limits) -> tuple[int, ...]:
        """The rows at which threads stop for ever, waits first, then acquires; none if a thread may go on."""
        waits: list[int] = []
        others: list[int] = []
        for t, rows in enumerate(self.trace.rows_of_thread):
            if limits[t] == len(rows):
                if t in self._parked:
                    waits.append(self._parked[t].row)
                elif not self._may_have_ended(t):
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

    def _may_have_ended(self, thread: int) -> bool:
        """Whether a thread may end after its last event."""
        rows = self.trace.rows_of_thread[thread]
        return bool(len(rows)) and (self._has_ended(thread) or int(rows[-1]) in self._ends.values())

    def _has_ended(self, thread: int) -> bool:
        """Whether a thread ends after its last event, for any value that the event reads."""
        last = int(self.trace.rows_of_thread[thread][-1])
        return bool(self.trace.op[last] == Op.END or (last in self._ends.values() and not READS[self.trace.op[last]]))

    def _question(
        self, steps: tuple[int, ...], limits: _Limits, waking: Callable[[Wait, _Limits], Iterator[int]]
    ) -> Question:
        """The question whether all threads get to their stops, and those that wait get there too late to be
        notified."""
        op, waits = self.trace.op, [wait for wait in self.waits if wait.row in steps]
        stopped = {self._thread(row) for row in steps if op[row] != Op.WAIT}
        happen = [
            int(rows[limits[t] - 1])
            for t, rows in enumerate(self.trace.rows_of_thread)
            if limits[t] and t not in stopped
        ]
        before = [Before(row, wait.parks) for wait in waits for row in waking(wait, limits)]
        joins = tuple(row for row in steps if op[row] == Op.JOIN)
        goes_on = tuple(wait.goes_on for wait in waits if wait.goes_on != NONE)
        starts = [self._starts[row] for row in joins if row in self._starts]
        acquires = tuple(row for row in steps if op[row] == Op.ACQUIRE)
        return Question((*happen, *starts), acquires, (*joins, *goes_on), constraints=tuple(before))

    def _waking(self, wait: Wait, limits: _Limits) -> Iterator[int]:
        """Notifications that would end a wait if they came after it."""
        for row, ended in self._notified.items():
            if self.trace.target[row] == wait.condition and self._happens(row, limits):
                elsewhere = any(each != wait and self._happens(each.goes_on, limits) for each in ended)
                if not elsewhere or self.trace.op[row] == Op.NOTIFY_ALL:
                    yield row

    def _surely_waking(self, wait: Wait, limits: _Limits) -> Iterator[int]:
        """Notifications that would end a wait if they came after it, in any order: they can wake no other thread
        instead."""
        waiting = {self._thread(each.row) for each in self.waits if each.condition == wait.condition}
        for row in self._notified:
            if self.trace.target[row] == wait.condition and self._happens(row, limits):
                if self.trace.op[row] == Op.NOTIFY_ALL or waiting == {self._thread(wait.row)}:
                    yield row

    def _happens(self, row: int, limits: _Limits) -> bool:
        return row != NONE and bool(self._index[row] < limits[self._thread(row)])

    def _blocked(self, stops: _Stops, limits: _Limits, once: bool) -> Iterator[_Stops]:
        """Acquires before which one more thread may stop, because of locks that are held where threads stop; the last
        first, and with ``once`` one of each place."""
        holders = self._holders(limits)
        for t, sections in enumerate(self._sections):
            places: set[Hashable] = set()
            for section in reversed(sections if t not in stops else ()):
                place = self._place(section.begin)
                if holders[section.lock] - {t} and place not in places and self._happens(section.begin, limits):
                    places |= {place} if once else set()
                    yield {t: section.begin}

    def _holders(self, limits: _Limits) -> dict[int, set[int]]:
        """For each lock the threads that hold it where they stop, except threads in waits that do not show which lock
        they gave up."""
        found: dict[int, set[int]] = defaultdict(set)
        for t, rows in enumerate(self.trace.rows_of_thread):
            over = limits[t] == len(rows)
            wait = self._parked.get(t) if over else self._goes_on.get(int(rows[limits[t]]))
            if wait.lock != NONE if wait is not None else not over:
                for lock in self._held(t, int(limits[t])):
                    found[lock].add(t)
        return found

    def _held(self, thread: int, limit: int) -> Iterator[int]:
        """The locks that a thread holds after its first ``limit`` events."""
        for lock, begin, end in self._sections[thread]:
            if self._index[begin] < limit and (end == NONE or self._index[end] >= limit):
                yield lock
