"""The causal model of a long recorded trace, as :mod:`mazurka.causal.model_from_trace` makes it, made with NumPy.

It handles traces in which each row is a step of its own, that have no conditions, and whose locks are only requested,
acquired and released, by one holder at a time; the result is None for other traces. Accesses to a location that only
one thread uses are left out: their values follow from the thread's earlier reads, and no other thread observes them.

The model of rows that are *cut* out of a trace has fewer constraints than that of the trace: none on the value of a
read, unless its source is among these rows and no value is recorded, and none for sections whose end is missing. A
question that it refutes is refuted by the model of the trace, too; a question that it finds feasible need not be.

Invariant: except for cut rows, and for the numbers of groups of writes, the model is that of :mod:`.model_from_trace`.

Cost: some 200 ns a row.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any, Final

import numpy as np

from mazurka.causal.history import INITIAL
from mazurka.causal.model import NEVER_LEFT, Model
from mazurka.trace.columns import columns_of
from mazurka.trace.event import READS, WRITES, Op
from mazurka.trace.indexes import of_several, order_by
from mazurka.trace.targets import is_only_content, may_wait
from mazurka.trace.trace import NO_VALUE, Trace

Ints = Any  # an integer array

_ACCESSING: Final = np.isin(np.arange(len(Op)), (Op.READ, Op.WRITE, Op.RMW))
_LOCKING: Final = np.isin(np.arange(len(Op)), (Op.ACQUIRE, Op.RELEASE))
_LIVING: Final = np.isin(np.arange(len(Op)), (Op.FORK, Op.JOIN, Op.BEGIN, Op.END))
_OF_LOCKS: Final = _LOCKING | (np.arange(len(Op)) == Op.REQUEST)
_UNKNOWN: Final = np.isin(np.arange(len(Op)), (Op.WAIT, Op.NOTIFY, Op.NOTIFY_ALL))
_READS: Final = np.array(READS)
_WRITES: Final = np.array(WRITES)


def model_of_columns(
    trace: Trace, branches: bool = False, start: int = 0, cut: bool = False, relaxes_updates: bool = False
) -> Model | None:
    """See the module, and :func:`mazurka.causal.model_from_trace.model_of_trace`."""
    reading = _ColumnReading(trace, branches, start, cut, relaxes_updates)
    model: Model = reading.model
    return model if reading.is_plain() and reading.run() else None


class _ColumnReading:
    """Makes the model; ``event`` has the number of the event of each row of the trace."""

    def __init__(self, trace: Trace, branches: bool, start: int, cut: bool, relaxes_updates: bool) -> None:
        self.trace, self.branches, self.start, self.cut = trace, branches, start, cut
        self.relaxes_updates = relaxes_updates
        self.thread, self.op, self.target, self.value, _ = columns_of(trace)
        self.targets = len(trace.targets)
        self.model: Any = Model([0], keeps=not branches)  # with arrays in place of lists

    def is_plain(self) -> bool:
        """Whether the trace only has operations that are handled here, and no target is used as two kinds."""
        kinds = [self._touched(which[self.op]) for which in (_ACCESSING, _OF_LOCKS, _LIVING)]
        return not _UNKNOWN[self.op].any() and int(sum(each.astype(np.int8) for each in kinds).max(initial=0)) < 2

    def run(self) -> bool:
        """Fill the model; false if a lock has two holders."""
        self._number()
        if not self._see_sections():
            return False
        self._see_lives()
        self._see_accesses()
        self.model.pair_at = np.zeros(len(self.rows) + 1, np.int32)
        return True

    def _touched(self, rows: Ints) -> Ints:
        """For each target, whether some of the rows touch it."""
        touched = np.zeros(self.targets, np.bool_)
        touched[self.target[rows]] = True
        return touched

    def _number(self) -> None:
        model = self.model
        self.rows = order_by(self.thread)
        self.event = np.empty(len(self.rows), np.int64)
        self.event[self.rows] = np.arange(len(self.rows))
        model.thread, model.rank = self.thread[self.rows], np.asarray(self.trace.step)[self.rows]
        lengths = np.bincount(self.thread, minlength=len(self.trace.threads))
        model.starts = np.concatenate([[0], np.cumsum(lengths)]).tolist()
        model.event_of = dict(zip(model.rank.tolist(), range(len(self.rows)), strict=True))
        guards = np.ones(len(self.rows), np.bool_) if not self.branches else self.op[self.rows] == Op.BRANCH
        position = np.arange(len(self.rows)) - np.repeat(model.starts[:-1], lengths)
        model.guard = np.where(guards, position, 0)
        model.targets = self.targets
        model.target_numbers = {name: number for number, name in enumerate(self.trace.targets)}

    # -- locks --------------------------------------------------------------------------------------------------------

    def _see_sections(self) -> bool:
        model, rows = self.model, np.flatnonzero(_LOCKING[self.op])
        rows = rows[order_by(self.target[rows])]
        target, thread = self.target[rows], self.thread[rows]
        change = np.where(self.op[rows] == Op.ACQUIRE, 1, -1)
        after = _since(np.cumsum(change), _begins(target))
        before, same = after - change, np.append(False, (target[1:] == target[:-1]) & (thread[1:] == thread[:-1]))
        if (after < 0).any() or ((before > 0) & ~same[: len(rows)]).any():
            return False
        enters, leaves = (before == 0) & (change > 0), (after == 0) & (change < 0)
        section = np.cumsum(enters) - 1  # by row: the open section of its lock; sections are sorted by lock
        left = np.full(int(enters.sum()), NEVER_LEFT)
        left[section[leaves]] = self.event[rows[leaves]]
        entering, lock = rows[enters], target[enters]
        if self.cut:
            whole = left != NEVER_LEFT
            left, entering, lock = left[whole], entering[whole], lock[whole]
        entered = self.event[entering]
        number = np.empty(len(left), np.int64)  # in the order of the trace
        number[np.argsort(entering)] = np.arange(len(left))
        model.section_from, model.section_to, model.section_lock = np.empty((3, len(left)), np.int64)
        model.section_from[number], model.section_to[number] = entered, left
        model.section_lock[number] = _dense(lock)
        self._lay_out_sections(number)
        return True

    def _lay_out_sections(self, number: Ints) -> None:
        model, size = self.model, len(self.rows)
        order = np.lexsort((model.section_from, model.section_lock))
        locks = int(model.section_lock.max(initial=-1)) + 1
        model.taken, model.taking = order, model.section_from[order]
        lock, thread = model.section_lock[order], model.thread[model.taking]
        model.lock_at, model.lock_thread, model.lock_from, model.lock_to = _columns(lock, thread, locks)
        model.enter_at, model.enter = _by_event(model.section_from, np.arange(len(number)), size)
        left = np.flatnonzero(model.section_to != NEVER_LEFT)
        model.leave_at, model.leave = _by_event(model.section_to[left], left, size)

    # -- threads ------------------------------------------------------------------------------------------------------

    def _see_lives(self) -> None:
        """A thread does nothing before its fork, nor after its join; it is not joined before its fork."""
        model, needs, forks = self.model, list[tuple[int, int]](), dict[int, int]()
        for row in np.flatnonzero((self.op == Op.FORK) | (self.op == Op.JOIN)).tolist():
            target = int(self.target[row])
            other = int(self.trace.thread_of_target[target])
            begin, end = model.starts[other : other + 2] if other >= 0 else (0, 0)
            event, here = int(self.event[row]), self._first_from(int(self.trace.step[row]), begin, end)
            if self.op[row] == Op.FORK:
                forks[target] = event
                if here < end:
                    needs.append((here, event))
            elif here > begin:
                needs.append((event, here - 1))
            elif target in forks:
                needs.append((event, forks[target]))
        if self.start:
            bounds = list(pairwise(model.starts))
            begins = [self._first_from(self.start, first, end) for first, end in bounds]
            done = [begin - 1 for begin, (first, _) in zip(begins, bounds, strict=True) if begin > first]
            needs += [(begin, e) for begin, (_, end) in zip(begins, bounds, strict=True) if begin < end for e in done]
        events, needed = np.array(needs, np.int64).reshape(len(needs), 2).T
        model.need_at, model.need = _by_event(events, needed, len(self.rows))

    def _first_from(self, rank: int, begin: int, end: int) -> int:
        return begin + int(np.searchsorted(self.model.rank[begin:end], rank))

    # -- accesses -----------------------------------------------------------------------------------------------------

    def _see_accesses(self) -> None:
        model, size = self.model, len(self.rows)
        accesses = np.flatnonzero(_ACCESSING[self.op])
        common = of_several(self.thread[accesses], self.target[accesses], self.targets)
        rows = accesses[common[self.target[accesses]]]
        source, initial = self._sources(rows)
        reads = rows[_READS[self.op[rows]]]
        reads = reads[np.argsort(self.event[reads])]
        is_data = ~self._touched((self.op != Op.READ) & (self.op != Op.WRITE))
        for x in np.flatnonzero(is_data & common).tolist():
            is_data[x] = not may_wait(self.trace.targets[x])
        if self.cut:
            showing = is_data[self.target[reads]] & (self.value[reads] != NO_VALUE)
            reads = reads[(source[reads] != INITIAL) & ~showing]
        model.read_event, model.read_target = self.event[reads], self.target[reads]
        model.read_at = _at(model.read_event, size)
        model.read_sync = (~(is_data | self._relaxed())[model.read_target]).astype(np.int32)
        model.read_source = np.where(source[reads] == INITIAL, INITIAL, self.event[source[reads]])
        self._see_groups(reads, source[reads], is_data, initial, rows)
        writes = rows[_WRITES[self.op[rows]]]
        writes = writes[np.argsort(self.event[writes])]
        model.write, model.write_at = self.target[writes], _at(self.event[writes], size)
        col = writes[order_by(self.target[writes])]
        model.col = self.event[col]
        columns = _columns(self.target[col], self.thread[col], self.targets)
        model.col_at, model.col_thread, model.col_from, model.col_to = columns

    def _relaxed(self) -> Any:
        """For each target, whether its updates may give other values."""
        relaxed = self._touched(self.op == Op.RMW) & self.relaxes_updates
        for x in np.flatnonzero(relaxed).tolist():
            relaxed[x] = is_only_content(self.trace.targets[x])
        return relaxed

    def _sources(self, rows: Ints) -> tuple[Ints, Ints]:
        """For each row that reads, the row that it reads from; and for each target its initial value, if a read shows
        it."""
        rows = rows[order_by(self.target[rows])]
        begins = _begins(self.target[rows])
        written = np.where(_WRITES[self.op[rows]], np.arange(len(rows)), INITIAL)
        last = np.append(INITIAL, np.maximum.accumulate(written))[: len(rows)]  # writes before the row, without the row
        source = np.full(len(self.rows), INITIAL, np.int64)
        source[rows] = np.where(last >= begins, rows[last], INITIAL)
        showing = np.sort(rows[_READS[self.op[rows]] & (source[rows] == INITIAL) & (self.value[rows] != NO_VALUE)])
        initial = np.full(self.targets, NO_VALUE, np.int64)
        initial[self.target[showing]] = self.value[showing]
        return source, initial

    def _see_groups(self, reads: Ints, source: Ints, is_data: Ints, initial: Ints, rows: Ints) -> None:
        """The writes that give a read the same value: those of an equal value, if it is recorded, else only its
        source."""
        model, target, value = self.model, self.target[reads], self.value[reads]
        had = np.where(source == INITIAL, initial[target], self.value[source])
        equal = is_data[target] & (value != NO_VALUE) & (value == had)
        key = target.astype(np.int64) << 32
        names = np.stack([equal, np.where(equal, key | value, np.where(source == INITIAL, key, source))], axis=1)
        names[:, 1] += (~equal & (source == INITIAL)).astype(np.int64) << 62
        kinds, first, model.read_group = np.unique(names, axis=0, return_index=True, return_inverse=True)
        model.read_group = model.read_group.reshape(-1)
        writes = rows[self.op[rows] == Op.WRITE]
        writes = writes[is_data[self.target[writes]] & (self.value[writes] != NO_VALUE)]
        keys = self.target[writes].astype(np.int64) << 32 | self.value[writes]
        order = np.argsort(keys, kind="stable")
        keys, writes = keys[order], writes[order]
        own = kinds[:, 0] == 1
        begin, end = (np.where(own, np.searchsorted(keys, kinds[:, 1], side), 0) for side in ("left", "right"))
        also = ~own | (initial[target[first]] == value[first])  # one source more: the initial value, or the only
        sizes = end - begin + also
        model.group_at = np.append(0, np.cumsum(sizes))
        model.group = np.full(int(model.group_at[-1]), INITIAL, np.int64)
        inside = np.arange(len(model.group)) - np.repeat(model.group_at[:-1], sizes)
        listed = inside < np.repeat(end - begin, sizes)
        model.group[listed] = self.event[writes[(np.repeat(begin, sizes) + inside)[listed]]]
        model.group[model.group_at[:-1][~own]] = model.read_source[first[~own]]


def _begins(keys: Ints) -> Ints:
    """For each row of a sorted column, the first row with the same number."""
    new = np.append(True, keys[1:] != keys[:-1])[: len(keys)]
    return np.maximum.accumulate(np.where(new, np.arange(len(keys)), 0))


def _since(total: Ints, begins: Ints) -> Ints:
    """Running totals within the groups that begin at ``begins``."""
    return total - np.where(begins > 0, total[begins - 1], 0)


def _dense(keys: Ints) -> Ints:
    """The numbers of a sorted column, numbered from 0 on."""
    return np.cumsum(np.append(False, keys[1:] != keys[:-1])[: len(keys)])


def _at(events: Ints, size: int) -> Ints:
    """The index at which each event's part of a list sorted by event begins."""
    return np.append(0, np.cumsum(np.bincount(events, minlength=size)))


def _by_event(events: Ints, entries: Ints, size: int) -> tuple[Ints, Ints]:
    """The entries sorted by event: where each event's part begins, and the sorted entries."""
    return _at(events, size), entries[np.argsort(events, kind="stable")]


def _columns(key: Ints, thread: Ints, size: int) -> tuple[Ints, Ints, Ints, Ints]:
    """For entries sorted by key and thread: where each key's columns begin, and the thread, begin and end of each
    column."""
    new = np.append(True, (key[1:] != key[:-1]) | (thread[1:] != thread[:-1]))[: len(key)]
    begin = np.flatnonzero(new)
    return _at(key[begin], size), thread[begin], begin, np.append(begin[1:], len(key))[: len(begin)]
