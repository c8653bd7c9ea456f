"""The quick check: pairs of accesses that may race, by locks and must-happen-before edges.

Two conflicting accesses of different threads are a candidate if they hold no common lock (hybrid lockset) and the
earlier one is not *weakly happens-before* the later (patent, "Implementation", quick check). Weakly before an event are
the events that it needs by program order, forks, joins and by the reads that its existence depends on, each of which
needs its source in the trace (unless another write wrote an equal value). With branch events these are the reads before
the last branch; a write's value needs all reads before it in its thread. Every race of a correct reordering is a
candidate.

A location all of whose accesses hold a common lock has no candidates. For the others there is one pass. Row numbers are
the time: the clock of a thread has for each other thread its latest row that must have happened. Accesses of a location
are put into classes of equal thread, kind and held locks; the latest of a class is its *head*, and each access refers
to the one before it in its class. So a candidate is an access with a head and a bound: all accesses of the class after
the bound are its partners.

The same source runs interpreted, on lists, and compiled by numba on arrays if the trace is long. Locksets are compared
by sums of random numbers of 56 bits.

Cost: O(threads) for each read from another thread and each write of a shared location, O(classes of the location) an
access; memory 4 bytes an event and 4 x threads a shared location.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from typing import Any, Final, NamedTuple

import numpy as np

from mazurka.jit.compile import Form, compiled_together, pays
from mazurka.lazy_dataclass import dataclass
from mazurka.trace.columns import columns_of
from mazurka.trace.conflicts import may_race
from mazurka.trace.event import Op
from mazurka.trace.indexes import of_several
from mazurka.trace.trace import NO_VALUE, Trace

Ints = Any  # list[int], or an integer array

#: For traces of at least this many rows loading compiled code pays.
_COMPILE_FROM: Final = 30_000

_READ, _WRITE, _RMW, _ACQUIRE, _RELEASE = (int(op) for op in (Op.READ, Op.WRITE, Op.RMW, Op.ACQUIRE, Op.RELEASE))
_FORK, _JOIN, _BRANCH = int(Op.FORK), int(Op.JOIN), int(Op.BRANCH)

#: The number of locks that are tried as the guard of a location.
_COMMON: Final = 3

# Registers.
_SETS: Final = 0
_POOL: Final = 1
_CLASSES: Final = 2
_FOUND: Final = 3
_WATCHED: Final = 4


class _Scan(NamedTuple):
    """The state of a scan. Clocks are flat: threads x threads, places x threads."""

    watched: Ints  # rows whose needs are asked for, ascending
    needs: Ints  # by watched row and thread: the latest row that must have happened
    thread: Ints  # by row
    op: Ints
    target: Ints
    rigid: Ints  # by row that reads: whether its source in the trace must come before
    other: Ints  # by target: the thread that it is, or -1
    place: Ints  # by target: the number of a shared location, or -1
    random: Ints  # by target
    depth: Ints  # by target: how often its holder holds it
    branching: Ints  # [1]
    knows: Ints
    pending: Ints  # the events that a thread will need at its next branch
    last: Ints  # by place: the last write, or -1
    written: Ints  # by place: the events that the write's value needs
    held: Ints  # by thread: its locks
    count: Ints  # by thread: the number of its locks
    sum: Ints  # by thread: the sum of the random numbers of its locks
    current: Ints  # by thread: its lockset, or -1
    set_sum: Ints  # by lockset
    set_at: Ints  # by lockset: where its locks begin; one more at the end
    pool: Ints
    table: Ints  # hash table of locksets, -1: free
    common: Ints  # by place: locks that all its accesses hold, -1: none; at first -2: no access so far
    class_of: Ints  # by place: its first class, or -1
    next: Ints  # by class
    by: Ints
    writes: Ints
    locks: Ints
    head: Ints
    before: Ints  # by row: the row before it in its class, or -1
    found_row: Ints
    found_head: Ints
    found_bound: Ints
    reg: Ints


@dataclass(frozen=True, slots=True)
class Candidates:
    """Accesses that may race with earlier ones: ``row`` with all accesses of the class of ``head`` that are after
    ``bound``."""

    row: list[int]
    head: list[int]
    bound: list[int]
    before: Ints

    def __len__(self) -> int:
        return len(self.row)

    def partners(self, number: int) -> Iterator[int]:
        """The partners of one candidate, the latest first."""
        partner = int(self.head[number])
        while partner > self.bound[number]:
            yield partner
            partner = int(self.before[partner])


def candidates_of(trace: Trace) -> Candidates:
    """All candidates of a trace whose rows are steps of their own, by row."""
    state = _scanned(trace, np.zeros(0, np.int32))
    found = int(state.reg[_FOUND])
    row_of, head, bound = (
        [int(each) for each in column[:found]] for column in (state.found_row, state.found_head, state.found_bound)
    )
    return Candidates(row_of, head, bound, state.before)


def needs_of(trace: Trace, rows: Ints) -> Any:
    """For each of ``rows``, ascending: the latest row of each other thread that must have happened before, or -1."""
    watched = np.asarray(rows, np.int32)
    thread, op, _, _, _ = columns_of(trace)
    if pays(len(trace), _COMPILE_FROM) and not (op == _BRANCH).any():
        from mazurka.order import must_happen_before
        from mazurka.order.streaming import columns_of as three_of
        from mazurka.order.streaming import sizes_of

        needs = must_happen_before.needs_of(
            three_of(trace), sizes_of(trace), _shared(trace)[0] >= 0, _rigid(trace), watched
        )
    else:
        state = _scanned(trace, watched)
        needs = np.asarray(state.needs, np.int32).reshape(len(rows), len(trace.threads))
    needs[np.arange(len(watched)), thread[watched]] = -1
    return needs


def _scanned(trace: Trace, watched: Any) -> _Scan:
    compiled = pays(len(trace), _COMPILE_FROM)
    survey, scan = _compiled_passes() if compiled else (_survey, _scan)
    state, row = _begin(trace, compiled, watched), 0
    if not len(watched):  # otherwise no candidates are asked for
        survey(state)
    while (row := int(scan(state, row))) < len(trace):
        state = _with_more_room(state)
    return state


def _begin(trace: Trace, compiled: bool, watched: Any) -> _Scan:
    thread, op, target, _, _ = columns_of(trace)
    threads = len(trace.threads)
    place, places = _shared(trace)
    locking = np.where(op == _ACQUIRE, 1, np.where(op == _RELEASE, -1, 0))
    nesting = max((int(np.cumsum(locking[rows]).max(initial=0)) for rows in trace.rows_of_thread), default=0) + 1
    none = {"knows": threads * threads, "pending": threads * threads, "written": places * threads, "last": places}
    none |= {"common": places * _COMMON, "class_of": places, "current": threads, "before": len(trace), "table": 64}
    zero = {
        "depth": len(trace.targets),
        "held": threads * nesting,
        "count": threads,
        "set_at": 17,
        "pool": 16,
        "reg": 5,
    }
    zero |= dict.fromkeys(("next", "by", "writes", "locks", "head", "found_row", "found_head", "found_bound"), 64)
    made: dict[str, Any] = {
        "watched": watched,
        "needs": np.zeros(len(watched) * threads, np.int32),
        "thread": thread,
        "op": op,
        "target": target,
        "rigid": _rigid(trace),
        "other": np.asarray(trace.thread_of_target, np.int32),
        "place": place,
        "random": np.random.default_rng(1).integers(1, 1 << 56, len(trace.targets)),
        "branching": np.array([bool((op == _BRANCH).any())]),
        "sum": np.zeros(threads, np.int64),
        "set_sum": np.zeros(16, np.int64),
    }
    made |= {name: np.full(size, -1, np.int32) for name, size in none.items()}
    made["common"][:] = 0
    made |= {name: np.zeros(size, np.int32) for name, size in zero.items()}
    return _Scan(**(made if compiled else {name: column.tolist() for name, column in made.items()}))


def _shared(trace: Trace) -> tuple[Any, int]:
    """For each target its number among the locations that several threads touch and one writes, or -1; and their
    count."""
    thread, op, target, _, _ = columns_of(trace)
    data = (op == _READ) | (op == _WRITE) | (op == _RMW)
    shared = of_several(thread[data], target[data], len(trace.targets))
    written = np.zeros(len(trace.targets), bool)
    written[target[data & (op != _READ)]] = True
    taken = np.zeros(len(trace.targets), bool)
    taken[target[(op == _ACQUIRE) | (op == _RELEASE)]] = True
    places = [x for x in np.flatnonzero(shared & written & ~taken).tolist() if may_race(trace.targets[x])]
    number = np.full(len(trace.targets), -1, np.int32)
    number[places] = np.arange(len(places))
    return number, len(places)


def _rigid(trace: Trace) -> Any:
    """For each row whether it reads and only its source can give it the same value."""
    _, op, target, value, _ = columns_of(trace)
    recorded = np.flatnonzero(value != NO_VALUE)
    recorded = recorded[np.isin(op[recorded], (_READ, _WRITE, _RMW))]
    rigid = np.ones(len(trace), np.int8)
    if len(recorded):
        same = target[recorded].astype(np.int64) << 32 | value[recorded]
        _, group = np.unique(same, return_inverse=True)
        writes = np.bincount(group, weights=op[recorded] != _READ)
        # a value that was read but never written is an initial value; a written one may be an initial value, too
        rigid[recorded] = (writes[group] == 1) & ~_may_be_initial(op[recorded], group)[group]
    return rigid


def _may_be_initial(op: Any, group: Any) -> Any:
    """For each group of equal values of a location: whether it was read before it was written."""
    first = np.full(int(group.max()) + 1, len(group))
    np.minimum.at(first, group, np.arange(len(group)))
    starts_with_read: Any = op[first] == _READ
    return starts_with_read


def _with_more_room(state: _Scan) -> _Scan:
    """Double the arrays that are about to run out."""
    reg, names = state.reg, []
    if not _has_room_to_find(state):
        names += ["found_row", "found_head", "found_bound"]
    if reg[_CLASSES] >= len(state.head):
        names += ["next", "by", "writes", "locks", "head"]
    if not _has_room_for_locksets(state):
        names += ["set_sum", "set_at", "pool"]
        table = _longer(state.table, -1)
        table[:] = [-1] * len(table) if isinstance(table, list) else -1
        for number in range(reg[_SETS]):
            slot = state.set_sum[number] % len(table)
            while table[slot] >= 0:
                slot = (slot + 1) % len(table)
            table[slot] = number
        state = state._replace(table=table)
    return state._replace(**{name: _longer(getattr(state, name), 0) for name in names})


def _longer(column: Any, value: int) -> Any:
    if isinstance(column, list):
        listed: list[int] = column
        return [*listed, *([value] * len(listed))]
    return np.concatenate([column, np.full_like(column, value)])


# -- the pass, which numba compiles, too ------------------------------------------------------------------------------


def _survey(s: Any) -> None:
    """Compute the locks that guard each location; no lock is held afterwards."""
    for i in range(len(s.common)):
        s.common[i] = -2
    for row in range(len(s.thread)):
        t, op, x = s.thread[row], s.op[row], s.target[row]
        if op in (_READ, _WRITE, _RMW):
            if s.place[x] >= 0:
                _intersect(s, t, s.place[x])
        elif op == _ACQUIRE:
            _acquire(s, t, x)
        elif op == _RELEASE:
            _release(s, t, x)
    for x in range(len(s.depth)):
        s.depth[x] = 0
    for t in range(len(s.count)):
        s.count[t] = 0
        s.sum[t] = 0
        s.current[t] = -1


def _intersect(s: Any, t: int, place: int) -> None:
    begin = t * (len(s.held) // len(s.count))
    end = begin + s.count[t]
    for k in range(place * _COMMON, (place + 1) * _COMMON):
        if s.common[k] == -2:
            i = begin + k - place * _COMMON
            s.common[k] = s.held[i] if i < end else -1
        elif s.common[k] >= 0:
            kept = False
            for i in range(begin, end):
                kept |= s.held[i] == s.common[k]
            if not kept:
                s.common[k] = -1


def _is_guarded(s: Any, place: int) -> bool:
    for k in range(place * _COMMON, (place + 1) * _COMMON):
        if s.common[k] >= 0:
            return True
    return False


def _scan(s: Any, row: int) -> int:
    """Process rows from ``row`` on; returns the row before which room has to be made, or the number of rows."""
    threads = len(s.count)
    while row < len(s.thread):
        t, op, x = s.thread[row], s.op[row], s.target[row]
        if s.reg[_WATCHED] < len(s.watched) and s.watched[s.reg[_WATCHED]] == row:
            for u in range(threads):
                s.needs[s.reg[_WATCHED] * threads + u] = s.knows[t * threads + u]
            s.reg[_WATCHED] += 1
        if op in (_READ, _WRITE, _RMW):
            place = s.place[x]
            if place >= 0:
                if not _is_guarded(s, place):
                    if not _has_room(s):
                        return row
                    _meet(s, row, t, op != _READ, place)
                _touch(s, row, t, op, place)
        elif op == _ACQUIRE:
            _acquire(s, t, x)
        elif op == _RELEASE:
            _release(s, t, x)
        elif op == _BRANCH:
            _join(s.knows, t, s.pending, t, threads)
        elif op == _FORK and s.other[x] >= 0:
            _join(s.knows, s.other[x], s.knows, t, threads)
            s.knows[s.other[x] * threads + t] = row
        elif op == _JOIN and s.other[x] >= 0:
            _join(s.knows, t, s.knows, s.other[x], threads)
            s.knows[t * threads + s.other[x]] = row  # all its events
        row += 1
    return row


def _has_room(s: Any) -> bool:
    """Whether there is room for one more access."""
    return bool(s.reg[_CLASSES] < len(s.head) and _has_room_to_find(s) and _has_room_for_locksets(s))


def _has_room_to_find(s: Any) -> bool:
    return bool(s.reg[_FOUND] + s.reg[_CLASSES] < len(s.found_row))


def _has_room_for_locksets(s: Any) -> bool:
    sets = s.reg[_SETS]
    nesting = len(s.held) // len(s.count)
    return bool(sets < len(s.set_sum) and 4 * sets < len(s.table) and s.reg[_POOL] + nesting <= len(s.pool))


def _join(into: Any, one: int, of: Any, other: int, threads: int) -> None:
    for u in range(threads):
        if of[other * threads + u] > into[one * threads + u]:
            into[one * threads + u] = of[other * threads + u]


def _acquire(s: Any, t: int, x: int) -> None:
    s.depth[x] += 1
    if s.depth[x] == 1:
        s.held[t * (len(s.held) // len(s.count)) + s.count[t]] = x
        s.count[t] += 1
        s.sum[t] += s.random[x]
        s.current[t] = -1


def _release(s: Any, t: int, x: int) -> None:
    if s.depth[x] > 0:
        s.depth[x] -= 1
    if s.depth[x] > 0:
        return
    begin = t * (len(s.held) // len(s.count))
    for i in range(begin, begin + s.count[t]):
        if s.held[i] == x:
            s.count[t] -= 1
            s.held[i] = s.held[begin + s.count[t]]
            s.sum[t] -= s.random[x]
            s.current[t] = -1
            return


def _lockset(s: Any, t: int) -> int:
    """The number of the locks that a thread holds."""
    if s.current[t] >= 0:
        return int(s.current[t])
    slot = s.sum[t] % len(s.table)
    while s.table[slot] >= 0 and s.set_sum[s.table[slot]] != s.sum[t]:
        slot = (slot + 1) % len(s.table)
    if s.table[slot] < 0:
        number = s.reg[_SETS]
        s.table[slot] = number
        s.set_sum[number] = s.sum[t]
        begin = t * (len(s.held) // len(s.count))
        for i in range(begin, begin + s.count[t]):
            s.pool[s.reg[_POOL]] = s.held[i]
            s.reg[_POOL] += 1
        s.reg[_SETS] += 1
        s.set_at[number + 1] = s.reg[_POOL]
    s.current[t] = s.table[slot]
    return int(s.current[t])


def _disjoint(s: Any, one: int, other: int) -> bool:
    for i in range(s.set_at[one], s.set_at[one + 1]):
        for j in range(s.set_at[other], s.set_at[other + 1]):
            if s.pool[i] == s.pool[j]:
                return False
    return True


def _meet(s: Any, row: int, t: int, writes: bool, place: int) -> None:
    """Compare an access with all classes of its location, and add it to its own."""
    threads, lockset = len(s.count), _lockset(s, t)
    own = -1
    c = s.class_of[place]
    while c >= 0:
        u = s.by[c]
        if u == t:
            if s.locks[c] == lockset and (s.writes[c] == 1) == writes:
                own = c
        elif (
            (writes or s.writes[c] == 1) and s.head[c] > s.knows[t * threads + u] and _disjoint(s, lockset, s.locks[c])
        ):
            found = s.reg[_FOUND]
            s.found_row[found] = row
            s.found_head[found] = s.head[c]
            s.found_bound[found] = s.knows[t * threads + u]
            s.reg[_FOUND] += 1
        c = s.next[c]
    if own < 0:
        own = s.reg[_CLASSES]
        s.reg[_CLASSES] += 1
        s.next[own] = s.class_of[place]
        s.class_of[place] = own
        s.by[own] = t
        s.writes[own] = 1 if writes else 0
        s.locks[own] = lockset
        s.head[own] = -1
    s.before[row] = s.head[own]
    s.head[own] = row


def _touch(s: Any, row: int, t: int, op: int, place: int) -> None:
    """Enter the events that a thread needs after a read, and readers need after a write."""
    threads, last = len(s.count), s.last[place]
    if op != _WRITE and last >= 0 and s.rigid[row]:
        if s.branching[0]:
            _join(s.pending, t, s.written, place, threads)
        else:
            by = s.thread[last]
            if (
                by != t and last > s.knows[t * threads + by]
            ):  # a thread whose clock has a write has all that the write needs
                _join(s.knows, t, s.written, place, threads)
    if op != _READ:
        for u in range(threads):
            s.written[place * threads + u] = s.knows[t * threads + u]
        if s.branching[0]:
            _join(s.written, place, s.pending, t, threads)
        s.written[place * threads + t] = row
        s.last[place] = row


@cache
def _compiled_passes() -> tuple[Callable[[_Scan], None], Callable[[_Scan, int], int]]:
    """The passes of the survey and the scan. All functions that they call are inlined: passing some forty arrays costs
    more than most of these functions do."""
    callees = (
        *(_has_room_to_find, _has_room_for_locksets, _has_room, _join, _acquire, _release, _lockset, _disjoint),
        *(_meet, _touch, _is_guarded, _intersect),
    )
    kernels = compiled_together(
        (*callees, _survey, _scan), lambda name: Form(inlined=name not in (_survey.__name__, _scan.__name__))
    )
    return kernels._survey, kernels._scan
