"""The representation of a trace for SeqCheck's kernels: events by thread, each with its requirements and its position.

Events are numbered by thread, then by program order: event ``starts[t] + k`` is the k-th of thread ``t``, so a set of
events that is closed under program order is one number per thread. Operations are reduced to a few kinds; ``link`` is
the event related to an event: the write that a read got its value from, the other end of a critical section, the last
event of a thread that is joined, the next event of a thread that is started.

Targets have the same meaning as in :mod:`mazurka.causal.model_from_trace`: a target that is only acquired and released,
by one holder at a time, is a lock (its outermost sections exclude each other); a target that is only read and written
is data; all other targets order threads, and each of their reads needs its source in the trace.

Invariants: the two ends of a section are each other's ``link``, -1 if it is never left; ``inside`` of an event is the
latest outermost acquire of its thread that was open before the event, and ``inside`` of that acquire the one before it
(some sections of the chain may have been left since: compare ``link``).

Events that no other thread can observe may be left out: then the index is that of a shorter trace, with the same
answers.

Cost: three passes over the columns, about 30 bytes an event that is not left out.
"""

from __future__ import annotations

from functools import partial
from typing import Any, Final, NamedTuple

import numpy as np

from mazurka.trace.columns import columns_of
from mazurka.trace.event import READS, WRITES, Op
from mazurka.trace.targets import may_wait
from mazurka.trace.trace import NO_VALUE, Trace

Ints = Any  # a NumPy array of integers

#: Kinds of events: one without effect here, a read and a write of data, both at once, and a read of a target that
#: orders threads (reads of these two kinds always count), the two ends of an outermost section, a join, a branch.
NOTHING, READ, WRITE, BOTH, LOOK, ENTER, LEAVE, JOIN, BRANCH = range(9)

#: In place of a link: there is none (initial value, section never left).
NONE: Final = -1

#: Kinds of targets.
DATA, LOCK, OTHER = range(3)

_ACQUIRE, _RELEASE, _REQUEST = int(Op.ACQUIRE), int(Op.RELEASE), int(Op.REQUEST)
_FORK, _JOIN, _BEGIN, _BRANCH = int(Op.FORK), int(Op.JOIN), int(Op.BEGIN), int(Op.BRANCH)
_RMW, _FREE = int(Op.RMW), int(Op.FREE)

#: In place of the thread that touches a target: several threads do.
_SEVERAL: Final = -2

_LOCKING: Final = 1 << Op.ACQUIRE | 1 << Op.RELEASE | 1 << Op.REQUEST
_ACCESSING: Final = 1 << Op.READ | 1 << Op.WRITE
_TOUCHING: Final = 1 << Op.RMW | (1 << Op.BRANCH) - 1


class TraceIndex(NamedTuple):
    """See the module. The comments state the index of each array."""

    starts: Ints  # by thread: its first event; one more at the end
    fork: Ints  # by thread: the event that starts it
    born: Ints  # by thread: how many events it had before its fork (some tools let all threads begin first)
    event: Ints  # by row
    row: Ints  # by event
    thread: Ints  # by event
    kind: Ints  # by event
    target: Ints  # by event
    link: Ints  # by event
    inside: Ints  # by event
    guard: Ints  # by event: the number of its thread's events whose reads must count; empty: all before it
    loose: Ints  # by event: whether it is a read to which other writes would give the same value; empty: none is


def index_of(trace: Trace, kernel: Any, whole: bool) -> tuple[TraceIndex, Ints]:
    """The index, made by the functions ``survey``, ``choose`` and ``fill`` of ``kernel``, compiled or not; and the
    indexed rows of the trace, which it numbers anew: all, or those that other threads may observe."""
    thread, op, target, _, _ = columns_of(trace)
    targets, threads = len(trace.targets), len(trace.threads)
    others = np.asarray(trace.thread_of_target, dtype=np.int32)
    seen, alone = np.zeros((2, targets), np.int32), np.zeros(0, bool)
    seen[1] = NONE
    kernel.survey(thread, op, target, seen, np.zeros(targets, np.int32), np.zeros(targets, np.int32))
    classes = _classes(trace, seen[0])
    rows = np.arange(len(op), dtype=np.int32)
    if not whole:
        alone = (seen[1] != _SEVERAL) | ((classes == DATA) & (seen[0] & 1 << Op.WRITE == 0))
        chosen, last = np.empty(len(op), np.int8), np.full(threads, NONE, np.int64)
        kernel.choose(thread, op, target, classes, alone, others, np.zeros(targets, np.int32), last, chosen)
        rows = np.flatnonzero(chosen).astype(np.int32)
        op = np.where(chosen[rows] == 1, op[rows], np.int8(Op.CALL))
        thread, target = thread[rows], target[rows]
    size = len(rows)
    starts = np.zeros(threads + 1, np.int64)
    np.cumsum(np.bincount(thread, minlength=threads), out=starts[1:])
    column = partial(np.empty, dtype=np.int32)
    index = TraceIndex(
        starts,
        np.full(threads, NONE, np.int32),
        np.zeros(threads, np.int32),
        column(size),
        column(size),
        column(size),
        np.empty(size, np.int8),
        column(size),
        column(size),
        column(size),
        column(size if np.any(op == Op.BRANCH) else 0),
        np.zeros(0, np.int8),
    )
    kernel.fill(
        index,
        thread,
        op,
        target,
        classes,
        others,
        np.asarray(READS),
        np.asarray(WRITES),
        np.full((2, targets), NONE, np.int32),
        np.zeros(targets, np.int32),
        np.full((3, threads), NONE, np.int32),
    )
    return index._replace(loose=_loose(trace, index, rows)), rows


def _classes(trace: Trace, seen: Ints) -> Ints:
    """The kind of each target, from the set of operations on it as bits (negative: some use is not one of a lock)."""
    classes = np.full(len(seen), OTHER, np.int8)
    seen = np.where(seen > 0, seen & _TOUCHING, seen)
    classes[(seen > 0) & (seen & ~_LOCKING == 0)] = LOCK
    data = (seen > 0) & (seen & ~_ACCESSING == 0)
    if isinstance(trace.op, np.ndarray):
        classes[data] = DATA
    else:
        waited = (may_wait(name) for name in trace.targets)
        classes[data & ~np.fromiter(waited, bool, len(seen))] = DATA
    return classes


def survey(thread: Ints, op: Ints, target: Ints, seen: Ints, holder: Ints, depth: Ints) -> None:
    """Compute for each target the operations on it, as bits, with the sign bit if some use is not one of a lock; and
    its thread."""
    for row in range(len(op)):
        x, t = target[row], thread[row]
        seen[0, x] |= 1 << int(op[row])  # interpreted, an operation's code, and so a shifted 1, is a byte
        seen[1, x] = t if seen[1, x] == NONE or seen[1, x] == t else _SEVERAL
        if op[row] == _ACQUIRE:
            if depth[x] > 0 and holder[x] != t:
                seen[0, x] |= -(1 << 31)
            holder[x] = t
            depth[x] += 1
        elif op[row] == _RELEASE:
            if depth[x] == 0 or holder[x] != t:
                seen[0, x] |= -(1 << 31)
            depth[x] -= 1


def choose(
    thread: Ints,
    op: Ints,
    target: Ints,
    classes: Ints,
    alone: Ints,
    thread_of_target: Ints,
    depth: Ints,
    last: Ints,
    chosen: Ints,
) -> None:
    """Choose rows that other threads may observe: no locations of one thread or without writes, no inner sections of a
    lock. The last row of a thread that is joined is chosen, too, perhaps for its position only (2). ``last``: by
    thread."""
    for row in range(len(op)):
        o, x = op[row], target[row]
        stays = o in (_FORK, _JOIN, _BRANCH, _FREE)
        noticed = stays or ((o < _BRANCH or o == _RMW) and o != _REQUEST and not alone[x])
        if classes[x] == LOCK and o == _ACQUIRE:
            depth[x] += 1
            noticed = noticed and depth[x] == 1
        elif classes[x] == LOCK and o == _RELEASE:
            depth[x] -= 1
            noticed = noticed and depth[x] == 0
        elif o == _JOIN and thread_of_target[x] >= 0 and last[thread_of_target[x]] != NONE:
            end = last[thread_of_target[x]]
            chosen[end] = 1 if chosen[end] == 1 else 2
        chosen[row] = 1 if noticed else 0
        last[thread[row]] = row


def fill(
    index: TraceIndex,
    thread: Ints,
    op: Ints,
    target: Ints,
    classes: Ints,
    thread_of_target: Ints,
    reads: Ints,
    writes: Ints,
    last: Ints,
    depth: Ints,
    state: Ints,
) -> None:
    """Fill all columns of the index but ``loose``. ``last``: by target its last writer, and its open section;
    ``state``: by thread the number of its events less one, its latest open section, its last branch."""
    starts, fork, born, event, row_of, thread_of, kind, target_of, link, inside, guard, _ = index
    for row in range(len(op)):
        t, o, x = thread[row], op[row], target[row]
        state[0, t] += 1
        position = state[0, t]
        e = starts[t] + position
        event[row], row_of[e], thread_of[e], target_of[e] = e, row, t, x
        kind[e], link[e], inside[e] = NOTHING, NONE, state[1, t]
        if o == _BRANCH:
            kind[e] = BRANCH
            state[2, t] = position
        elif o == _JOIN:
            u = thread_of_target[x]
            if u >= 0 and state[0, u] != NONE:
                kind[e], link[e] = JOIN, starts[u] + state[0, u]
            elif last[0, x] != NONE:  # a join of a thread without events, which has to be started all the same
                kind[e], link[e] = LOOK, last[0, x]
        elif classes[x] == LOCK:
            depth[x] += int(o == _ACQUIRE) - int(o == _RELEASE)
            if o == _ACQUIRE and depth[x] == 1:
                kind[e] = ENTER
                last[1, x] = state[1, t] = e
            elif o == _RELEASE and depth[x] == 0:
                kind[e] = LEAVE
                state[1, t] = _leave(link, inside, last[1, x], e, state[1, t])
        elif o != _BEGIN and (reads[o] or writes[o]):  # a thread's first event needs its fork, for any operation
            kind[e] = _access(reads[o], writes[o], classes[x] == DATA)
            if reads[o]:
                link[e] = last[0, x]
            if writes[o]:
                last[0, x] = e
            u = thread_of_target[x] if o == _FORK else NONE
            if u >= 0 and fork[u] == NONE and starts[u] + state[0, u] + 1 < starts[u + 1]:
                fork[u], born[u], link[e] = e, state[0, u] + 1, starts[u] + state[0, u] + 1
        if len(guard) > 0:
            guard[e] = max(state[2, t], 0)


def _access(reads: bool, writes: bool, data: bool) -> int:
    if not reads:
        return WRITE
    if data:
        return READ
    return BOTH if writes else LOOK


def _leave(link: Ints, inside: Ints, acquire: int, release: int, innermost: int) -> int:
    """End a section; returns the thread's latest section that has not ended."""
    link[release], link[acquire] = acquire, release
    while innermost != NONE and link[innermost] != NONE:
        innermost = inside[innermost]
    return int(innermost)


def _loose(trace: Trace, index: TraceIndex, rows: Ints) -> Ints:
    """For each event whether it reads data whose value another write, or the initial value, would give as well."""
    value = np.asarray(trace.value)
    if not len(value) or not np.any(value != NO_VALUE):
        return np.zeros(0, np.int8)
    recorded = value[rows[index.row]]
    own = np.flatnonzero((index.kind == READ) & (recorded != NO_VALUE))
    writes = np.flatnonzero((index.kind == WRITE) & (recorded != NO_VALUE))
    key = index.target.astype(np.int64) * len(trace.values) + recorded
    initial = own[index.link[own] == NONE]
    names, times = np.unique(np.concatenate([key[writes], np.unique(key[initial])]), return_counts=True)
    loose = np.zeros(len(recorded), np.int8)
    if len(names):
        at = np.minimum(np.searchsorted(names, key[own]), len(names) - 1)
        sources = index.link[own]
        same = (sources == NONE) | (recorded[np.maximum(sources, 0)] == recorded[own])
        loose[own[(names[at] == key[own]) & (times[at] > 1) & same]] = 1
    return loose
