"""Repair: a trace is changed into one of plain locks and threads; the changes are listed.

Faults found by :mod:`mazurka.trace.malformed` are mended as follows; others are left as they are, and reported.

- If the holder of a lock acquires it again, the inner acquires and releases are dropped.
- If a thread acquires a lock that another one holds, and the lock is free at the thread's next event, the acquire was
  logged early: it is moved to just before that event.
- Otherwise the holder is assumed to have given the lock up, as a wait does: a release by the holder is added before.
  The holder acquires it again at its next event at which the lock is free, if that comes before another thread acquires
  it.
- A lock whose first event is its release, by a thread that no thread starts, was held before the trace began: an
  acquire is added before that thread's first event. Any other release by a thread that does not hold the lock is
  dropped.
- A lock that is held to the end is released before its holder's END, or after all events.
- A thread begins once: with its first event, if it was started before that or is never started. Other BEGINs are
  dropped.
- It ends once: with its last event. Other ENDs are dropped. It is started once: other FORKs are dropped.

A lock that was given up unseen, a release that is dropped and a second start are *assumed*: the threads may have been
ordered in another way, so what is found in the trace is not proven.

Rows are never changed, and but for acquires that are moved they stay in order; the location of an added row is that of
the lock's acquire. Cost: that of the check, and one copy.
"""

from __future__ import annotations

from collections import Counter
from heapq import heapify, heappop, heappush
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from mazurka.lazy_dataclass import dataclass
from mazurka.trace.columns import Columns, Names, Parts, assemble, columns_of
from mazurka.trace.event import Op
from mazurka.trace.malformed import Checking, Fault
from mazurka.trace.targets import Kind
from mazurka.trace.trace import NO_VALUE, Trace

#: In place of the row in the old trace: this row was added.
ADDED: Final = -1

_FIRST: Final = 5

_NOT_HELD: Final = "releases of locks not held dropped"
_STARTED_TWICE: Final = "second starts of threads dropped"


@dataclass(frozen=True, slots=True)
class Mend:
    """One kind of change: how often it was made, and where first (rows of the trace as it was)."""

    change: str
    count: int
    rows: tuple[int, ...]

    def __str__(self) -> str:
        if not self.rows:
            return f"{self.change}: {self.count}"
        more = ", ..." if self.count > len(self.rows) else ""
        return f"{self.change}: {self.count} (rows {', '.join(map(str, self.rows))}{more})"


@dataclass(frozen=True, slots=True)
class Repaired:
    """The trace, each row's number in the old one (:data:`ADDED` for new rows), the changes, and the remaining
    faults. ``assumed`` are the changes that may have given the threads an order that they did not have."""

    trace: Trace
    rows: NDArray[np.int64]
    mends: tuple[Mend, ...]
    left: tuple[Mend, ...]
    assumed: tuple[Mend, ...] = ()


def repaired(trace: Trace) -> Repaired:
    """A trace without the faults that can be mended."""
    columns = columns_of(trace)
    names = Names(trace.threads, trace.targets, trace.values, trace.locations)
    work = _Repair(columns, names)
    work.take_first()
    work.delay()
    work.give_up_stolen()
    left = work.drop()
    work.close()
    mended = assemble(Parts(names, iter([work.columns])))
    return Repaired(mended, work.rows, tuple(work.mends), left, tuple(work.assumed))


class _Added(NamedTuple):
    """A row that is added: the row that it comes before, the event, and the row whose place in the source it has."""

    before: int
    op: Op
    thread: int
    target: int
    at: int


class _Repair:
    def __init__(self, columns: Columns, names: Names) -> None:
        self.columns = columns
        self.names = names
        self.rows = np.arange(columns.rows, dtype=np.int64)
        self.mends: list[Mend] = []
        self.assumed: list[Mend] = []

    def take_first(self) -> None:
        """Acquires locks that were held before the trace began."""
        columns = self.columns
        started = set(columns.target[columns.op == Op.FORK].tolist())
        lives = {int(columns.thread[row]): int(columns.target[row]) for row in np.flatnonzero(columns.op == Op.BEGIN)}
        named = {each: number for number, each in enumerate(self.names.targets)}
        added = []
        rows = np.flatnonzero(np.isin(columns.op, (Op.ACQUIRE, Op.RELEASE)))
        first = rows[np.unique(columns.target[rows], return_index=True)[1]]
        for row in np.sort(first[columns.op[first] == Op.RELEASE]).tolist():
            thread = int(columns.thread[row])
            life = lives.get(thread, named.get((Kind.THREAD.tag, self.names.threads[thread]), -1))
            if life not in started:
                own = np.flatnonzero((columns.thread == thread) & (columns.op != Op.BEGIN))
                added.append(_Added(int(own[0]), Op.ACQUIRE, thread, int(columns.target[row]), row))
        self._tell("locks held before the trace acquired at its beginning", [each.at for each in added])
        self._add(sorted(added, key=lambda each: each.before))

    def delay(self) -> None:
        """Moves acquires that were logged before the lock was given back."""
        locks, _ = Checking(self.names).part(self.columns)
        early = np.unique(self.columns.target[locks == Fault.TAKEN_WHILE_HELD])
        following = _Following(self.columns)
        moved = {row: to for lock in early.tolist() for row, to in _delays(self.columns, lock, following).items()}
        if moved:
            self._tell("acquires logged early moved to the thread's next event", sorted(moved))
            to = np.arange(self.columns.rows)
            to[list(moved)] = list(moved.values())
            order = np.lexsort((~np.isin(np.arange(self.columns.rows), list(moved)), to))
            self.columns, self.rows = self.columns.select(order), self.rows[order]

    def give_up_stolen(self) -> None:
        locks, _ = Checking(self.names).part(self.columns)
        stolen = np.unique(self.columns.target[locks == Fault.TAKEN_WHILE_HELD])
        added = [each for lock in stolen.tolist() for each in _returns(self.columns, lock)]
        given = [each.before for each in added if each.op == Op.RELEASE]
        self._tell("a lock given up unseen is given back", given, assumed=True)
        self._tell("and taken again", [each.before for each in added if each.op == Op.ACQUIRE])
        self._add(added)

    def drop(self) -> tuple[Mend, ...]:
        """Drops rows, and reports the faults that stay."""
        checking = Checking(self.names)
        locks, lives = checking.part(self.columns)
        goes = np.zeros(self.columns.rows, np.bool_)
        for change, rows in (
            ("inner acquires and releases dropped", np.isin(locks, (Fault.TAKEN_AGAIN, Fault.GIVEN_BACK_INNER))),
            (_NOT_HELD, locks == Fault.NOT_HELD),
            (_STARTED_TWICE, lives == Fault.STARTED_TWICE),
            ("begins dropped that are not a first event, after the start", self._begins()),
            ("ends dropped that are not a last event", self._ends()),
        ):
            is_assumed = change in (_NOT_HELD, _STARTED_TWICE)
            self._tell(change, np.flatnonzero(rows).tolist(), assumed=is_assumed)
            goes |= rows
        kept = ~goes
        self.columns, self.rows = self.columns.select(kept), self.rows[kept]
        _, lives = Checking(self.names).part(self.columns)
        return tuple(
            Mend(fault.words, len(rows), tuple(self.rows[rows[:_FIRST]].tolist()))
            for fault in Fault
            if len(rows := np.flatnonzero(lives == fault)) and fault is not Fault.NONE
        )

    def close(self) -> None:
        checking = Checking(self.names)
        checking.part(self.columns)
        state = checking.state
        held = np.flatnonzero(state.depth > 0)
        held = held[np.argsort(-state.taken[held])]
        ends = {int(self.columns.thread[row]): int(row) for row in np.flatnonzero(self.columns.op == Op.END)}
        added = [
            _Added(ends.get(holder, self.columns.rows), Op.RELEASE, holder, lock, int(state.taken[lock]))
            for lock, holder in zip(held.tolist(), state.holder[held].tolist(), strict=True)
        ]
        self._tell("locks held to the end given back", state.taken[held].tolist())
        self._add(added)

    def _begins(self) -> NDArray[np.bool_]:
        """The BEGINs to drop: all but the last one among a thread's first rows, and that one, too, if it is early."""
        columns = self.columns
        begins: NDArray[np.bool_] = columns.op == Op.BEGIN
        starts = {int(columns.target[row]): int(row) for row in np.flatnonzero(columns.op == Op.FORK)[::-1]}
        acts = np.full(len(self.names.threads), columns.rows, np.int64)
        np.minimum.at(acts, columns.thread[~begins], np.flatnonzero(~begins))
        kept = {
            int(columns.thread[row]): int(row)
            for row in np.flatnonzero(begins).tolist()
            if starts.get(int(columns.target[row]), -1) < row < acts[columns.thread[row]]
        }
        begins[list(kept.values())] = False
        return begins

    def _ends(self) -> NDArray[np.bool_]:
        ends: NDArray[np.bool_] = self.columns.op == Op.END
        last = np.full(len(self.names.threads), -1, np.int64)
        last[self.columns.thread] = np.arange(self.columns.rows)
        ends[last[last >= 0]] = False
        return ends

    def _tell(self, change: str, rows: list[int], assumed: bool = False) -> None:
        if rows:
            first = sorted(int(self.rows[row]) for row in rows if self.rows[row] != ADDED)[:_FIRST]
            self.mends.append(Mend(change, len(rows), tuple(first)))
            if assumed:
                self.assumed.append(self.mends[-1])

    def _add(self, added: list[_Added]) -> None:
        """Adds rows; several before the same row stay in this order."""
        if not added:
            return
        before, op, thread, target, at = zip(*added, strict=True)
        site = self.columns.site[list(at)]
        filled: list[Any] = [thread, op, target, [NO_VALUE] * len(added), site]
        old: list[Any] = list(self.columns)
        self.columns = Columns(*(np.insert(column, before, more) for column, more in zip(old, filled, strict=True)))
        self.rows = np.insert(self.rows, before, ADDED)


class _Following:
    """The next event of a thread after one of its own; after the last one the number of rows."""

    def __init__(self, columns: Columns) -> None:
        self._columns = columns
        self._rows: dict[int, NDArray[np.int64]] = {}

    def __call__(self, row: int) -> int:
        thread = int(self._columns.thread[row])
        if thread not in self._rows:
            self._rows[thread] = np.flatnonzero(self._columns.thread == thread)
        own = self._rows[thread]
        place = int(np.searchsorted(own, row)) + 1
        return int(own[place]) if place < len(own) else self._columns.rows


def _delays(columns: Columns, lock: int, following: _Following) -> dict[int, int]:
    """The acquires of a lock that were logged early, each with the row of its thread's next event, before which the
    lock is free."""
    rows = np.flatnonzero((columns.target == lock) & np.isin(columns.op, (Op.ACQUIRE, Op.RELEASE))).tolist()
    fixed: set[int] = set()  # acquires that can't be moved: another thread has the lock at the next event, too
    while True:
        moved, failed = _moved(columns, rows, fixed, following)
        if not failed:
            return moved
        fixed |= failed


def _moved(
    columns: Columns, rows: list[int], fixed: set[int], following: _Following
) -> tuple[dict[int, int], set[int]]:
    """The acquires that are moved, and those among them whose lock is not free where they go."""
    moved: dict[int, int] = {}
    failed: set[int] = set()
    coming = [(row, True, row) for row in rows]  # a place, whether the row itself is there, and the row of the lock
    heapify(coming)
    holder, depth = -1, 0
    while coming:
        _, is_there, row = heappop(coming)
        thread = int(columns.thread[row])
        if columns.op[row] == Op.RELEASE:
            depth -= depth > 0 and holder == thread
        elif not depth or holder == thread or row in fixed:
            depth = depth + 1 if depth and holder == thread else 1
            holder = thread
        elif is_there:
            moved[row] = following(row)
            heappush(coming, (moved[row], False, row))
        else:
            failed.add(row)
    return moved, failed


def _returns(columns: Columns, lock: int) -> list[_Added]:
    """Releases and acquires to be added so that no thread acquires this lock while another one holds it."""
    added: list[_Added] = []
    robbed: Counter[int] = Counter()
    holder = taken = -1
    depth = 0
    rows = np.flatnonzero((columns.target == lock) & np.isin(columns.op, (Op.ACQUIRE, Op.RELEASE))).tolist()
    for number, row in enumerate(rows):
        thread = int(columns.thread[row])
        if not depth:
            earlier = rows[number - 1] if number else -1
            back = _first_back(columns, robbed, earlier, row)
            if back is not None:
                holder, at = back
                depth = robbed.pop(holder)
                taken = at
                added += [_Added(at, Op.ACQUIRE, holder, lock, at)] * depth
        if columns.op[row] == Op.ACQUIRE:
            if depth and holder != thread:
                added += [_Added(row, Op.RELEASE, holder, lock, taken)] * depth
                robbed[holder], depth = depth, 0
            taken = taken if depth else row
            holder, depth = thread, depth + 1
        elif depth and holder == thread:
            depth -= 1
        elif thread in robbed:
            robbed[thread] -= 1
            if not robbed[thread]:
                del robbed[thread]
    return added


def _first_back(columns: Columns, robbed: Counter[int], after: int, until: int) -> tuple[int, int] | None:
    """The first event, after one row and up to another, of a thread from which a lock was taken: its thread and row."""
    if not robbed:
        return None
    found = np.flatnonzero(np.isin(columns.thread[after + 1 : until + 1], list(robbed)))
    if not len(found):
        return None
    row = after + 1 + int(found[0])
    return int(columns.thread[row]), row
