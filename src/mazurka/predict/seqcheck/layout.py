"""A linearisation of a closed order (SeqCheck, Algorithm 4).

The next event is the earliest in the trace, or the next of a preferred thread, such that all events that it needs have
come, its read finds its source, and its write hides no other write that is still to be read. With a preferred thread
two threads never get stuck: any event of that thread that can come first may come first (M2: Pavlogiannis, POPL 2020,
on orders of width two). More threads may get stuck, and the question is then undecided; the paper puts unordered events
in the order of the trace and closes again.

Invariant: a sequence that is returned is a correct reordering, since each of its steps has been checked.

Cost: O(events x threads) of the set.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from mazurka.predict.seqcheck.cone import FAR, Cone, innermost, is_open
from mazurka.predict.seqcheck.index import BOTH, ENTER, LEAVE, NONE, WRITE, Ints, TraceIndex
from mazurka.predict.seqcheck.order import COUNTING, SLOTS, Order, first_from, is_ready, place, sources_of

#: In place of a preferred thread: the earliest row of the trace is preferred.
BY_ROW: Final = -1

#: In place of the row of the preferred thread's next event, so that it comes first.
_PREFERRED: Final = -1


class Layout(NamedTuple):
    """The linearisation so far."""

    done: Ints  # by active thread: the place of its next event
    row: Ints  # by active thread: the row of its next event, FAR if there is none
    got: Ints  # by place: where the source of a read that counts is listed in ``unread``, or NONE
    unread: Ints  # by place of a write, then by slot for the value before the window: how many reads are still to come
    current: Ints  # by slot: the last write, as an index of ``unread``
    holder: Ints  # by slot: the holder of the lock


def lay_out(index: TraceIndex, cone: Cone, order: Order, prefer: int) -> Ints:
    """The events of a closed order in sequence; fewer if it gets stuck. ``prefer``: a thread, or BY_ROW."""
    size, out = len(order.head), np.empty(len(order.head), np.int64)
    state = _begin_layout(index, cone, order)
    done, at, shift, active, row, rows = state.done, order.at, order.shift, order.active, state.row, index.row
    for n in range(len(active)):
        row[n] = _PREFERRED if active[n] == prefer else rows[done[n] - shift[active[n]]]
    for number in range(size):
        n = _choose(index, order, state)
        if n == NONE:
            return out[:number]
        t = active[n]
        out[number] = e = done[n] - shift[t]
        _do(index, order, state, e, done[n])
        done[n] += 1
        if done[n] == at[n + 1]:
            row[n] = FAR
        elif t != prefer:
            row[n] = rows[e + 1]
    return out


def _begin_layout(index: TraceIndex, cone: Cone, order: Order) -> Layout:
    """The linearisation at the beginning: only the rows before the window have happened."""
    size = len(order.head)
    got, unread = np.full(size, NONE, np.int64), np.zeros(2 * size, np.int64)
    reads, of = order.reads[: order.reg[COUNTING]], sources_of(index, cone, order)
    for i in range(len(reads)):
        got[place(index, order, reads[i])] = of[i]
        unread[of[i]] += 1
    holder = np.full(order.reg[SLOTS], NONE, np.int64)
    for t in range(len(cone.base)):
        a = NONE if cone.base[t] == 0 else innermost(index, index.starts[t] + cone.base[t] - 1)
        while a != NONE:
            if is_open(index, a, index.starts[t] + cone.base[t]) and order.slot[index.target[a]] != NONE:
                holder[order.slot[index.target[a]]] = t
            a = int(index.inside[a])
    current = np.arange(size, size + order.reg[SLOTS])
    return Layout(order.at[:-1].copy(), np.empty(len(order.active), np.int64), got, unread, current, holder)


def _choose(index: TraceIndex, order: Order, state: Layout) -> int:
    """The number of the thread whose event comes next: the preferred one, or that of the earliest event in the trace
    that may."""
    row, done, tried = state.row, state.done, _PREFERRED - 1
    while True:
        best, least = NONE, FAR
        for n in range(len(row)):
            if tried < row[n] < least:
                best, least = n, row[n]
        if best == NONE:
            return NONE
        here = done[best]
        if is_ready(order, here, done) and _may(index, order, state, here - order.shift[order.active[best]], here):
            return int(best)
        tried = least


def _may(index: TraceIndex, order: Order, state: Layout, e: int, here: int) -> bool:
    """Whether an event can be next, and hides no write that is still to be read."""
    kind, unread = index.kind[e], state.unread
    if kind == ENTER:
        return bool(state.holder[order.slot[index.target[e]]] == NONE)
    writes, source = kind in (WRITE, BOTH), state.got[here]
    if not writes and source == NONE:
        return True
    current = state.current[order.slot[index.target[e]]]
    if source != NONE and source != current:
        return False
    return bool(not writes or unread[current] == int(source != NONE))


def _do(index: TraceIndex, order: Order, state: Layout, e: int, here: int) -> None:
    kind = index.kind[e]
    if state.got[here] != NONE:
        state.unread[state.got[here]] -= 1
    if kind in (WRITE, BOTH):
        state.current[order.slot[index.target[e]]] = here
    elif kind == ENTER:
        state.holder[order.slot[index.target[e]]] = index.thread[e]
    elif kind == LEAVE:
        state.holder[order.slot[index.target[e]]] = NONE


def put_back(starts: Ints, own: Ints, place: Ints, thread: Ints, rows: Ints, happening: int, prefix: int) -> Ints:
    """The rows in order, and before each the rows of its thread from ``prefix`` on that are not indexed. The rows after
    the first ``happening`` do not happen: only the rows before them are added. ``own`` lists the rows of each thread
    from its ``starts`` on, ``place`` gives the index of a row in it."""
    next_, begin, size = np.full(len(starts) - 1, NONE, np.int64), np.empty(len(rows), np.int64), 0
    for i in range(len(rows)):
        t = thread[rows[i]]
        if next_[t] == NONE:
            next_[t] = first_from(own, starts[t], starts[t + 1], prefix)
        begin[i], next_[t] = next_[t], max(place[rows[i]] + int(i < happening), next_[t])
        size += next_[t] - begin[i]
    out, size = np.empty(size, np.int64), 0
    for i in range(len(rows)):
        for at in range(begin[i], place[rows[i]] + int(i < happening)):
            out[size] = own[at]
            size += 1
    return out
