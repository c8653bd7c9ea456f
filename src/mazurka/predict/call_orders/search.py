"""Decides whether two calls can come in the other order by trying all orders of a trace's events, if solvers give no
answer.

Orders are built event by event. The events that can come next follow from the position of each thread, the writers of
shared locations, the locks that are held, values read or returned that differ from the trace, and the states of the
objects. The rules are those of :mod:`mazurka.witness.columns` and :mod:`mazurka.witness.calls`; events that no other
thread observes come together with their thread's next event that counts.

Both answers are exact if the limit of states is not reached and no thread waits on a condition outside of calls. Cost:
exponential in the number of threads.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from typing import Any, Final, NamedTuple, TypeAlias

import numpy as np

from mazurka.causal.solver import Infeasible, Unknown
from mazurka.commute.formula import State
from mazurka.lazy_dataclass import dataclass
from mazurka.predict.call_orders.objects import ModelledCalls
from mazurka.trace.call_events import Receiver, receiver_of
from mazurka.trace.columns import columns_of
from mazurka.trace.event import READS, WRITES, Op
from mazurka.trace.indexes import of_several
from mazurka.trace.trace import NO_VALUE, Trace

_DATA: Final = np.isin(np.arange(len(Op)), (Op.READ, Op.WRITE, Op.RMW))
_LOCKING: Final = np.isin(np.arange(len(Op)), (Op.ACQUIRE, Op.RELEASE))
_LIVES: Final = np.isin(np.arange(len(Op)), (Op.FORK, Op.JOIN))
_WAITING: Final = np.isin(np.arange(len(Op)), (Op.WAIT, Op.NOTIFY, Op.NOTIFY_ALL))
_NONE: Final = -1
_NEVER: Final = 1 << 40

#: The largest number of states of the search.
LIMIT: Final = 20_000


#: Operations, on targets that are no data, that only enable others.
_ENABLING: Final = frozenset({Op.RELEASE, Op.BRANCH, Op.FORK, Op.JOIN})

#: A sequence of rows: the rows before the last, and the last.
_Path: TypeAlias = "tuple[_Path, int] | None"


class Found(NamedTuple):
    """The rows of an order that shows the violation, and those of them that read or return a value that differs from
    the trace."""

    order: tuple[int, ...]
    changed: frozenset[int]


class _Reached(NamedTuple):
    """A state between two events: for each thread the number of its events that count so far; for each location its
    last writer; for each thread the first event whose value differs from the trace; for each lock its holder and depth;
    for each object its present state for each possible initial one; and the threads to which a call has returned
    another result, which do not go on."""

    at: tuple[int, ...]
    written: tuple[int, ...]
    broken: tuple[int, ...]
    holders: tuple[tuple[int, int], ...]
    states: tuple[tuple[State, ...], ...]
    stopped: frozenset[int] = frozenset()


@dataclass(eq=False)
class OrderSearch:
    """Searches orders of one trace."""

    calls: ModelledCalls
    limit: int = LIMIT

    def __post_init__(self) -> None:
        trace = self.trace = self.calls.events.trace
        columns = columns_of(trace)
        self.op, self.target, self.value = columns.op.tolist(), columns.target.tolist(), columns.value.tolist()
        self.thread = columns.thread.tolist()
        self.waits = bool(_WAITING[columns.op].any())
        self.branching = bool((columns.op == Op.BRANCH).any())
        self._number_targets(columns.thread, columns.op, columns.target)
        counts = _DATA[columns.op] & self.is_shared[columns.target] | _LOCKING[columns.op] | _LIVES[columns.op]
        counts |= columns.op == Op.BRANCH
        counts[list(self.calls.events.calls)] = True
        made = {row for rows in self.calls.events.made.values() for row in rows}
        counts[list(made)] = True
        counts[list(_last_before_joins(trace))] = True
        self.rows = [np.asarray(own)[counts[np.asarray(own)]].tolist() for own in trace.rows_of_thread]
        self.place = {row: place for own in self.rows for place, row in enumerate(own)}
        self.objects: list[Receiver] = list(self.calls.objects)
        self.number_of = {receiver: number for number, receiver in enumerate(self.objects)}
        self.ends = [len(own) for own in self.rows]  # by thread: its events from here follow an unfinished call
        for row in self.calls.events.unfinished:
            own = self.thread[row]
            self.ends[own] = min(self.ends[own], bisect_right(self.rows[own], row))
        self._see_sources()
        self._see_lives()

    def _number_targets(self, thread: Any, op: Any, target: Any) -> None:
        """Number the locations that several threads access, and one writes; locks that are also looked at count as
        such."""
        size = len(self.trace.targets)
        data, locking = _DATA[op], _LOCKING[op]
        looked_at, taken, written = np.zeros(size, bool), np.zeros(size, bool), np.zeros(size, bool)
        looked_at[target[data]] = True
        taken[target[locking]] = True
        written[target[data & (op != Op.READ)]] = True
        self.mixed = set(np.flatnonzero(looked_at & taken).tolist())
        both = data | locking
        self.is_shared = of_several(thread[both], target[both], size) & looked_at & (written | taken)
        self.slot = {x: number for number, x in enumerate(np.flatnonzero(self.is_shared).tolist())}
        self.lock = {x: number for number, x in enumerate(np.flatnonzero(taken).tolist())}

    def _see_sources(self) -> None:
        last = [_NONE] * len(self.slot)
        self.source: dict[int, int] = {}
        self.initial: dict[int, int] = {}
        self.guard: dict[int, int] = {}
        branch = [0] * len(self.rows)
        for row in sorted(self.place):
            op, target, thread = self.op[row], self.target[row], self.thread[row]
            if op == Op.BRANCH or not self.branching:
                branch[thread] = self.place[row]
            self.guard[row] = branch[thread]
            slot = self.slot.get(target)
            if slot is None or row in self.calls.events.calls:
                continue
            if READS[op]:
                self.source[row] = last[slot]
                if last[slot] == _NONE and self.value[row] != NO_VALUE:
                    self.initial[target] = self.value[row]
            if WRITES[op]:
                last[slot] = row

    def _see_lives(self) -> None:
        others = self.trace.thread_of_target
        self.fork: dict[int, int] = {}
        for row in sorted(self.place):
            if self.op[row] == Op.FORK and others[self.target[row]] >= 0:
                self.fork.setdefault(int(others[self.target[row]]), row)
        self.starts = [_NEVER] * len(self.rows)  # by thread: the index from which its rows need its fork
        for thread, row in self.fork.items():
            self.starts[thread] = sum(own < row for own in self.rows[thread])

    def decide(self, first: int, second: int, begin: int) -> Found | Infeasible | Unknown:
        """An order after which the call that takes effect at ``second`` has taken effect, and the call that takes
        effect at ``first`` is about to begin, at the row ``begin``."""
        if self.waits:
            return Unknown("threads wait on conditions")
        mine = self.thread[first]
        stop = bisect_left(self.rows[mine], begin)
        start = _Reached(
            (0,) * len(self.rows),
            (_NONE,) * len(self.slot),
            (_NEVER,) * len(self.rows),
            ((_NONE, 0),) * len(self.lock),
            tuple(self.calls.objects[each].states for each in self.objects),
        )
        theirs = self.thread[second]
        threads = sorted(range(len(self.rows)), key=lambda each: (each == theirs, each == mine))
        seen: set[_Reached] = {start}
        stack: list[tuple[_Reached, _Path, frozenset[int]]] = [(start, None, frozenset())]
        while stack:
            state, path, changed = stack.pop()
            if state.at[mine] == stop and self._is_done(state, second) and state.broken[mine] == _NEVER:
                order = _rows_of(path)
                object_ = receiver_of(self.calls.events.calls[first])
                called = [row for row in order if self._receiver(row) == object_]
                if self._is_started(state, mine, stop):
                    if self.calls.makes_a_difference([*called, first], first, second) is not None:
                        return Found(self._whole(order, begin), changed)
            ends = [stop if thread == mine else len(self.rows[thread]) for thread in range(len(self.rows))]
            for thread in self._to_move(state, threads, ends):
                row = self.rows[thread][state.at[thread]]
                after = self._after(state, thread, row)
                if after is None or after in seen or self._is_lost(after, mine, theirs, second):
                    continue
                if len(seen) >= self.limit:
                    return Unknown("too many orders")
                seen.add(after)
                other = after.broken[thread] == state.at[thread] or self._reads_anew(state, row)
                stack.append((after, (path, row), changed | {row} if other else changed))
        return Infeasible()

    def _is_lost(self, state: _Reached, mine: int, theirs: int, second: int) -> bool:
        """Whether a thread has read another value that still has to go on to one of the two calls."""
        return state.broken[mine] != _NEVER or (state.broken[theirs] != _NEVER and not self._is_done(state, second))

    def _to_move(self, state: _Reached, threads: Sequence[int], ends: Sequence[int]) -> Sequence[int]:
        """The threads to try next: a single one if its next event is independent of the events of all other threads,
        except that it may enable them, so that it may as well come now."""
        movable = [thread for thread in threads if state.at[thread] < ends[thread]]
        for thread in movable:
            row = self.rows[thread][state.at[thread]]
            if self._is_independent(state, thread, row) and self._after(state, thread, row) is not None:
                return (thread,)
        return movable

    def _is_independent(self, state: _Reached, thread: int, row: int) -> bool:
        """Whether an event that can come next is independent in the sense of :meth:`_to_move`."""
        op, target = self.op[row], self.target[row]
        if row in self.calls.events.calls or target in self.mixed:
            return False
        if op == Op.READ and row in self.source:
            return self._gives(state, row)
        return op in _ENABLING or (op in (Op.READ, Op.WRITE) and target not in self.slot)

    def _receiver(self, row: int) -> Receiver | None:
        call = self.calls.events.calls.get(row)
        return None if call is None else receiver_of(call)

    def _whole(self, order: Sequence[int], begin: int) -> tuple[int, ...]:
        """The order with the rows between those that count."""
        trace, done, found = self.trace, [0] * len(self.rows), list[int]()
        own = [np.asarray(rows).tolist() for rows in trace.rows_of_thread]
        for row in (*order, begin):
            thread = self.thread[row]
            while own[thread][done[thread]] != row:
                found.append(own[thread][done[thread]])
                done[thread] += 1
            found.append(row)
            done[thread] += 1
        return tuple(found[:-1])

    # -- enabled events -----------------------------------------------------------------------------------------------

    def _is_done(self, state: _Reached, row: int) -> bool:
        return bool(state.at[self.thread[row]] > self.place[row])

    def _is_started(self, state: _Reached, thread: int, place: int) -> bool:
        return place < self.starts[thread] or self._is_done(state, self.fork[thread])

    def _reads_anew(self, state: _Reached, row: int) -> bool:
        return row in self.source and not self._gives(state, row)

    def _after(self, state: _Reached, thread: int, row: int) -> _Reached | None:
        """The state after an event of a thread, if it can come next."""
        place, op, target = state.at[thread], self.op[row], self.target[row]
        if thread in state.stopped or state.broken[thread] < (self.guard[row] if self.branching else _NEVER):
            return None
        if place >= self.ends[thread] or not self._is_started(state, thread, place):
            return None
        at = (*state.at[:thread], place + 1, *state.at[thread + 1 :])
        if row in self.calls.events.calls:
            return self._called(state, at, thread, row)
        if op == Op.JOIN and not self._has_ended(state, row):
            return None
        holders, broken = state.holders, state.broken
        if op in (Op.ACQUIRE, Op.RELEASE):
            locked = self._locked(state, thread, op, self.lock[target])
            if locked is None:
                return None
            holders = locked
        if row in self.source and not self._gives(state, row):
            if op != Op.READ or target in self.mixed:
                return None
            broken = self._broken(broken, thread, place)
        written = state.written
        slot = self.slot.get(target)
        if slot is not None and WRITES[op] and op != Op.FORK:
            written = (*written[:slot], row, *written[slot + 1 :])
        return _Reached(at, written, broken, holders, state.states, state.stopped)

    def _broken(self, broken: tuple[int, ...], thread: int, place: int) -> tuple[int, ...]:
        return (*broken[:thread], min(place, broken[thread]), *broken[thread + 1 :])

    def _has_ended(self, state: _Reached, row: int) -> bool:
        other = int(self.trace.thread_of_target[self.target[row]])
        if other < 0:
            return True
        before = [each for each in self.rows[other] if each < row]
        if not np.asarray(self.trace.rows_of_thread[other]).size or int(self.trace.rows_of_thread[other][0]) > row:
            forks = [each for each in self.place if self.op[each] == Op.FORK and self.target[each] == self.target[row]]
            return all(self._is_done(state, each) for each in forks if each < row)
        ended = state.at[other] >= len(before) and self._is_started(state, other, 0)
        return ended and other not in state.stopped and (self.branching or state.broken[other] == _NEVER)

    def _locked(self, state: _Reached, thread: int, op: int, lock: int) -> tuple[tuple[int, int], ...] | None:
        holder, depth = state.holders[lock]
        if depth and holder != thread or (op == Op.RELEASE and not depth):
            return None
        depth += 1 if op == Op.ACQUIRE else -1
        holders = (*state.holders[:lock], (thread, depth) if depth else (_NONE, 0), *state.holders[lock + 1 :])
        return holders

    def _gives(self, state: _Reached, row: int) -> bool:
        """Whether a read gives the same value as in the trace."""
        source, had = state.written[self.slot[self.target[row]]], self.source[row]
        if source != _NONE and state.broken[self.thread[source]] <= self.place[source]:
            return False
        if source == had:
            return True
        if self.op[row] != Op.READ or self.target[row] in self.mixed:
            return False
        value = self.initial.get(self.target[row], NO_VALUE) if source == _NONE else self.value[source]
        gave = self.initial.get(self.target[row], NO_VALUE) if had == _NONE else self.value[had]
        return bool(value == gave == self.value[row] != NO_VALUE)

    def _called(self, state: _Reached, at: tuple[int, ...], thread: int, row: int) -> _Reached | None:
        """The state after a call, if it can come next. Its arguments are those of the trace, and it returns unless it
        has to wait."""
        if state.broken[thread] != _NEVER:
            return None
        receiver = receiver_of(self.calls.events.calls[row])
        if not all(self._is_done(state, each) for each in self.calls.events.made[receiver]):
            return None
        number = self.number_of[receiver]
        before = state.states[number]
        if row in self.calls.events.doing_more and before != self.calls.recorded[row]:
            return None
        results, after = [], []
        for each in before:
            made = self.calls.step(row, each)
            if made is None or made[0] is None:
                return None
            results.append(made[0])
            after.append(made[1])
        broken, stopped, text = state.broken, state.stopped, self.calls.texts[row]
        if any(result != text for result in results):
            broken, stopped = self._broken(broken, thread, at[thread] - 1), stopped | {thread}
        states = (*state.states[:number], tuple(after), *state.states[number + 1 :])
        return _Reached(at, state.written, broken, state.holders, states, stopped)


def _rows_of(path: _Path) -> list[int]:
    found = []
    while path is not None:
        path, row = path
        found.append(row)
    return found[::-1]


def _last_before_joins(trace: Trace) -> Iterator[int]:
    """The rows after which threads are joined."""
    for row in np.flatnonzero(np.asarray(trace.op) == Op.JOIN).tolist():
        other = int(trace.thread_of_target[trace.target[row]])
        own = np.asarray(trace.rows_of_thread[other]) if other >= 0 else np.zeros(0, np.int32)
        if len(own) and own[0] < row:
            yield int(own[np.searchsorted(own, row) - 1])
