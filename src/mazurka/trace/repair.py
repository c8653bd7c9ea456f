"""Repair: a trace is changed into one of plain locks and threads; the changes are listed.

Faults found by :mod:`mazurka.trace.malformed` are mended as follows; others are left as they are, and reported.

- If the holder of a lock acquires it again, the inner acquires and releases are dropped.
- If a thread acquires a lock that another one holds, the holder is assumed to have given it up, as a wait does: a
  release by the holder is added before. The holder acquires it again at its next event at which the lock is free, if
  that comes before another thread acquires it.
- A release by a thread that does not hold the lock is dropped.
- A lock that is held to the end is released before its holder's END, or after all events.
- A thread begins once: with its first event, if it was started before that or is never started. Other BEGINs are
  dropped.
- It ends once: with its last event. Other ENDs are dropped. It is started once: other FORKs are dropped.

Rows are never changed, and stay in order; the location of an added row is that of the lock's acquire. Cost: that of the
check, and one copy.
"""

from __future__ import annotations

from collections import Counter
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from mazurka.lazy_dataclass import dataclass
from mazurka.trace.columns import Columns, Names, Parts, assemble, columns_of
from mazurka.trace.event import Op
from mazurka.trace.malformed import Checking, Fault
from mazurka.trace.trace import NO_VALUE, Trace

#: In place of the row in the old trace: this row was added.
ADDED: Final = -1

_FIRST: Final = 5


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
    faults."""

    trace: Trace
    rows: NDArray[np.int64]
    mends: tuple[Mend, ...]
    left: tuple[Mend, ...]


def repaired(trace: Trace) -> Repaired:
    """A trace without the faults that can be mended."""
    columns = columns_of(trace)
    names = Names(trace.threads, trace.targets, trace.values, trace.locations)
    work = _Repair(columns, names)
    work.give_up_stolen()
    left = work.drop()
    work.close()
    mended = assemble(Parts(names, iter([work.columns])))
    return Repaired(mended, work.rows, tuple(work.mends), left)


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

    def give_up_stolen(self) -> None:
        locks, _ = Checking(self.names).part(self.columns)
        stolen = np.unique(self.columns.target[locks == Fault.TAKEN_WHILE_HELD])
        added = [each for lock in stolen.tolist() for each in _returns(self.columns, lock)]
        self._tell("a lock given up unseen is given back", [each.before for each in added if each.op == Op.RELEASE])
        self._tell("and taken again", [each.before for each in added if each.op == Op.ACQUIRE])
        self._add(added)

    def drop(self) -> tuple[Mend, ...]:
        """Drops rows, and reports the faults that stay."""
        checking = Checking(self.names)
        locks, lives = checking.part(self.columns)
        goes = np.zeros(self.columns.rows, np.bool_)
        for change, rows in (
            ("inner acquires and releases dropped", np.isin(locks, (Fault.TAKEN_AGAIN, Fault.GIVEN_BACK_INNER))),
            ("releases of locks not held dropped", locks == Fault.NOT_HELD),
            ("second starts of threads dropped", lives == Fault.STARTED_TWICE),
            ("begins dropped that are not a first event, after the start", self._begins()),
            ("ends dropped that are not a last event", self._ends()),
        ):
            self._tell(change, np.flatnonzero(rows).tolist())
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

    def _tell(self, change: str, rows: list[int]) -> None:
        if rows:
            first = sorted(int(self.rows[row]) for row in rows if self.rows[row] != ADDED)[:_FIRST]
            self.mends.append(Mend(change, len(rows), tuple(first)))

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
