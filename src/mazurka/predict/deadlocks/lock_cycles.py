"""Cycles of threads each of which may wait for a lock that the next one holds, or for the end of the next one.

A *dependency* is an acquire inside sections of other locks, or a join. Dependencies of different threads make a cycle
if each acquires a lock that the next one holds, or joins its thread, and no lock is held in two of them: a common lock
would keep them apart (such a *guard* makes the cycle harmless). Nor are two acquires in one cycle if one must come
before the other (fast_path.py). The model decides whether the threads can get there at once.

A thread that is joined counts as holding one more lock until its end, for which the joining thread waits. So all its
acquires are dependencies, inside sections or not, if the joining thread holds a lock, or is itself joined in this way:
a joining thread for which no other waits is on no cycle.

Dependencies with the same thread, lock, held locks and location are searched as one. Each cycle is found once, from its
lowest thread, short ones first.

The search runs interpreted, on lists, and compiled by numba on arrays if there are many dependencies.

Cost: one pass over acquires and releases; then exponential at worst in the number of threads of a cycle, so that the
search is given up after a number of steps: some 10 ns each if compiled, else a microsecond.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cache
from itertools import accumulate, chain
from typing import Any, Final, NamedTuple

import numpy as np

from mazurka.jit.compile import Form, compiled_together, pays
from mazurka.lazy_dataclass import dataclass
from mazurka.predict.fast_path import needs_of
from mazurka.trace.columns import columns_of
from mazurka.trace.event import Op
from mazurka.trace.indexes import order_by
from mazurka.trace.trace import Trace

Ints = Any  # list[int], or an integer array

#: The most steps that the search for cycles may take.
_LIMIT: Final = 2_000_000

#: For at least so many dependencies loading compiled code pays.
_COMPILE_FROM: Final = 200

#: The number of dependencies of cycles that are returned at once.
_AT_ONCE: Final = 1 << 12

# Registers.
_STEPS, _LONGEST, _DEPTH, _NEXT, _FOUND = range(5)


class _Dependency(NamedTuple):
    thread: int
    lock: int  # the lock, or the thread that is joined, as a target
    held: tuple[int, ...]  # ascending
    site: int


class _Dependencies(NamedTuple):
    """The dependencies and the progress of a search for cycles. Dependencies have numbers, in the order of the
    trace."""

    thread: Ints
    lock: Ints
    held_at: Ints  # by dependency: where in ``held`` its locks begin; one more at the end
    held: Ints
    holding_at: Ints  # by lock: where in ``holding`` the dependencies that hold it begin; one more at the end
    holding: Ints
    last: Ints  # by dependency: the last of its acquires
    need: Ints  # by dependency and thread: the latest row that must come before its first acquire
    taken: Ints  # by lock: 1 if the first dependency on the path holds it, 2 if another one does
    path: Ints
    cursor: Ints  # by place on the path: where in ``holding`` to go on
    found: Ints
    reg: Ints


def cycles_of(trace: Trace, joins: bool = True) -> Iterator[tuple[int, ...]]:
    """The acquires and joins of each cycle: each waits for the thread of the next, the last for that of the first."""
    return iter(LockCycles(trace, joins=joins))


def patterns_of(trace: Trace) -> Iterator[list[list[int]]]:
    """Patterns of lock cycles: for each position in the cycle the acquires that can be there, ascending."""
    return LockCycles(trace, joins=False).patterns()


@dataclass(slots=True)
class LockCycles:
    """The cycles of a trace, the shortest first. ``complete`` turns false if the search is given up after too many
    steps. ``joins``: also cycles in which threads are joined."""

    trace: Trace
    limit: int = _LIMIT
    joins: bool = True
    complete: bool = True
    _place: Any = None  # by row of a dependency: its index in ``_needs``
    _needs: Any = None  # by index of a dependency's row, and thread: the latest row that must come before it

    def __iter__(self) -> Iterator[tuple[int, ...]]:
        for pattern in self.patterns():
            yield from self._apart(pattern, [])

    def patterns(self) -> Iterator[list[list[int]]]:
        """The patterns of the cycles: for each position the rows that can be there."""
        rows_of = _dependencies(self.trace, self.joins)
        every = sorted(chain.from_iterable(rows_of.values()))
        if not every:
            return
        self._place = {row: place for place, row in enumerate(every)}
        self._needs = needs_of(self.trace, every)
        compiled = pays(len(rows_of), _COMPILE_FROM)
        search = _compiled_search() if compiled else _search
        state, rows = self._begin(rows_of, compiled), list(rows_of.values())
        for length in range(2, len({each.thread for each in rows_of}) + 1):
            state.reg[_NEXT] = 0
            more = True
            while more and self.complete:
                state.reg[_FOUND] = 0
                more = bool(search(state, length, self.limit))
                self.complete = bool(state.reg[_STEPS] <= self.limit)
                found = [int(each) for each in state.found[: state.reg[_FOUND]]]
                for begin in range(0, len(found), length):
                    yield [rows[each] for each in found[begin : begin + length]]
            if state.reg[_LONGEST] < length or not self.complete:
                return

    def _begin(self, rows_of: dict[_Dependency, list[int]], compiled: bool) -> _Dependencies:
        """The state at the beginning of the search."""
        locks, threads = len(self.trace.targets), len(self.trace.threads)
        of_lock: dict[int, list[int]] = {}
        for number, each in enumerate(rows_of):
            for lock in each.held:
                of_lock.setdefault(lock, []).append(number)
        holders = [lock for lock in sorted(of_lock) for _ in of_lock[lock]]
        first = [rows[0] for rows in rows_of.values()]
        made: dict[str, Any] = {
            "thread": [each.thread for each in rows_of],
            "lock": [each.lock for each in rows_of],
            "held_at": list(accumulate((len(each.held) for each in rows_of), initial=0)),
            "held": [lock for each in rows_of for lock in each.held],
            "holding_at": np.searchsorted(holders, np.arange(locks + 1)).tolist(),
            "holding": [number for lock in sorted(of_lock) for number in of_lock[lock]],
            "last": [rows[-1] for rows in rows_of.values()],
            "need": self._needs[[self._place[row] for row in first]].ravel(),
            "taken": [0] * locks,
            "path": [0] * threads,
            "cursor": [0] * threads,
            "found": [0] * (_AT_ONCE + threads),
            "reg": [0] * 5,
        }
        if compiled:
            return _Dependencies(**{name: np.array(column, np.int64) for name, column in made.items()})
        return _Dependencies(**{**made, "need": made["need"].tolist()})

    def _need(self, row: int, thread: int) -> int:
        """The latest row of a thread that must come before a dependency."""
        return int(self._needs[self._place[row], thread])

    def _apart(self, pattern: list[list[int]], chosen: list[int]) -> Iterator[tuple[int, ...]]:
        """Choices of one row for each position such that none must come before another."""
        if len(chosen) == len(pattern):
            if self._may_wait_for(chosen[-1], chosen[0]):
                yield tuple(chosen)
            return
        for row in pattern[len(chosen)]:
            thread = int(self.trace.thread[row])
            if (not chosen or self._may_wait_for(chosen[-1], row)) and all(
                row > self._need(one, thread) and one > self._need(row, int(self.trace.thread[one])) for one in chosen
            ):
                yield from self._apart(pattern, [*chosen, row])

    def _may_wait_for(self, one: int, other: int) -> bool:
        """A join waits for the thread's events before it in the trace, if the thread goes on after it."""
        return bool(self.trace.op[one] != Op.JOIN or other < one)


def _dependencies(trace: Trace, joins: bool) -> dict[_Dependency, list[int]]:
    """The dependencies: joins, and outermost acquires of a thread that holds other locks, with the rows of each."""
    thread, op, target, _, site = columns_of(trace)
    depths: list[dict[int, int]] = [{} for _ in trace.threads]
    joining, joined = _joins_that_matter(trace) if joins else ([], {})
    for t, as_target in joined.items():
        depths[t] = {as_target: 1}
    wholly = [*joined, *thread[joining].tolist()]
    rows = np.sort(np.append(_nested(thread, op, target, wholly), np.array(joining, np.int64)))
    found: dict[_Dependency, list[int]] = {}
    columns = (column[rows].tolist() for column in (thread, op, target, site))
    for row, t, done, lock, place in zip(rows.tolist(), *columns, strict=True):
        held = depths[t]
        if done != Op.RELEASE and held and lock not in held:
            found.setdefault(_Dependency(t, lock, tuple(sorted(held)), place), []).append(row)
        if done == Op.ACQUIRE:
            held[lock] = held.get(lock, 0) + 1
        elif done == Op.JOIN:
            continue
        elif held.get(lock, 0) > 1:
            held[lock] -= 1
        else:
            held.pop(lock, None)
    return found


def _joins_that_matter(trace: Trace) -> tuple[list[int], dict[int, int]]:
    """The joins by threads that hold locks, or that are themselves joined in this way; and the threads joined, each
    with its target."""
    thread, op, target, _, _ = columns_of(trace)
    rows = np.flatnonzero((op == Op.ACQUIRE) | (op == Op.RELEASE) | (op == Op.JOIN))
    own = rows[order_by(thread[rows])]
    change = (op[own] == Op.ACQUIRE).astype(np.int64) - (op[own] == Op.RELEASE)
    begins = np.flatnonzero(np.append(True, thread[own[1:]] != thread[own[:-1]])[: len(own)])
    depth = np.cumsum(change)
    depth -= np.repeat((depth - change)[begins], np.diff(np.append(begins, len(own))))
    locked = set(own[(op[own] == Op.JOIN) & (depth > 0)].tolist())
    others = np.asarray(trace.thread_of_target)
    joins = [row for row in np.flatnonzero(op == Op.JOIN).tolist() if others[target[row]] not in (-1, thread[row])]
    matter: set[int] = set()
    joined: dict[int, int] = {}
    while more := [row for row in joins if row not in matter and (row in locked or int(thread[row]) in joined)]:
        matter.update(more)
        joined |= {int(others[target[row]]): int(target[row]) for row in more}
    return sorted(matter), joined


def _nested(thread: Any, op: Any, target: Any, wholly: Sequence[int]) -> Any:
    """Acquires and releases, without sections that are neither nested nor contain others; of the threads ``wholly``
    all."""
    rows = np.flatnonzero((op == Op.ACQUIRE) | (op == Op.RELEASE))
    own = rows[order_by(thread[rows])]
    change = np.where(op[own] == Op.ACQUIRE, 1, -1)
    depth = np.cumsum(change)
    new = np.append(True, thread[own[1:]] != thread[own[:-1]])[: len(own)]
    begins = np.flatnonzero(new)
    depth -= np.repeat((depth - change)[begins], np.diff(np.append(begins, len(own))))
    plain = (depth[:-1] == 1) & (depth[1:] == 0) & ~new[1:] & (target[own[:-1]] == target[own[1:]]) & (change[1:] < 0)
    dropped = np.zeros(len(own), bool)
    dropped[:-1] = plain
    dropped[1:] |= plain
    dropped &= ~np.isin(thread[own], wholly)
    return np.sort(own[~dropped])


# -- the search, which numba compiles, too ----------------------------------------------------------------------------


def _search(s: Any, length: int, limit: int) -> bool:
    """Continue the search for cycles of ``length`` dependencies; returns whether there may be more after those
    found."""
    threads = len(s.path)
    depth = s.reg[_DEPTH]
    while True:
        if s.reg[_FOUND] >= _AT_ONCE:
            s.reg[_DEPTH] = depth
            return True
        if depth == 0:
            if s.reg[_NEXT] == len(s.thread):
                s.reg[_DEPTH] = 0
                return False
            _push(s, 0, s.reg[_NEXT])
            s.reg[_NEXT] += 1
            depth = 1
        waits = s.path[depth - 1]
        at = s.cursor[depth - 1]
        if at == s.holding_at[s.lock[waits] + 1]:
            depth -= 1
            for i in range(s.held_at[waits], s.held_at[waits + 1]):
                s.taken[s.held[i]] = 0
            continue
        s.cursor[depth - 1] = at + 1
        s.reg[_STEPS] += 1
        if s.reg[_STEPS] > limit:
            return False
        each = s.holding[at]
        if s.thread[each] > s.thread[s.path[0]] and _fits(s, each, depth, threads):
            s.reg[_LONGEST] = max(s.reg[_LONGEST], depth + 1)
            closed = s.taken[s.lock[each]] == 1
            if depth + 1 < length:
                if not closed:
                    _push(s, depth, each)
                    depth += 1
            elif closed:
                for i in range(depth):
                    s.found[s.reg[_FOUND] + i] = s.path[i]
                s.found[s.reg[_FOUND] + depth] = each
                s.reg[_FOUND] += length


def _push(s: Any, depth: int, each: int) -> None:
    s.path[depth] = each
    s.cursor[depth] = s.holding_at[s.lock[each]]
    for i in range(s.held_at[each], s.held_at[each + 1]):
        s.taken[s.held[i]] = 1 if depth == 0 else 2


def _fits(s: Any, each: int, depth: int, threads: int) -> bool:
    """Whether a dependency holds no lock that is held on the path, and need not be ordered with any dependency there:
    neither one's last acquire must come before the other's first."""
    for i in range(s.held_at[each], s.held_at[each + 1]):
        if s.taken[s.held[i]] != 0:
            return False
    t = s.thread[each]
    for i in range(depth):
        one = s.path[i]
        u = s.thread[one]
        if t == u or s.last[each] <= s.need[one * threads + t] or s.last[one] <= s.need[each * threads + u]:
            return False
    return True


@cache
def _compiled_search() -> Callable[[_Dependencies, int, int], bool]:
    kernels = compiled_together((_push, _fits, _search), lambda name: Form(inlined=name != _search.__name__))
    search: Callable[[_Dependencies, int, int], bool] = kernels._search
    return search
