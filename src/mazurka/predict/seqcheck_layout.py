"""A closed order as a sequence: one event after the other (SeqCheck, Algorithm 4).

The next event is the earliest in the trace, or one of a certain thread, that needs nothing still to come, whose read
finds its write and whose write hides no other that is still to be read. With two threads the second way never gets
stuck: whatever of one thread can go first may (M2: Pavlogiannis, POPL 2020, on orders of width two). With more it may,
which is then undecided; the source orders what is unordered as in the trace and closes again.

Invariant: a sequence given out is a correct reordering, since each of its steps has been looked at.

Cost: events times threads of the set.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from mazurka.predict.seqcheck_cone import Cone, innermost, is_open
from mazurka.predict.seqcheck_index import BOTH, ENTER, LEAVE, LOOK, NONE, READ, WRITE, Index, Ints
from mazurka.predict.seqcheck_order import COUNTING, SLOTS, Order, counts, is_ready, place, source_place

#: By row of the trace, as what to prefer.
BY_ROW: Final = -1


def lay_out(index: Index, cone: Cone, order: Order, prefer: int) -> Ints:
    """The events of a closed order one after the other; fewer if it gets stuck. ``prefer``: a thread, or BY_ROW."""
    size = len(order.head)
    out = np.empty(size, np.int64)
    done = order.at[:-1].copy()
    unread = np.zeros(2 * size, np.int64)  # as ``readers_at``: how many reads are still to come
    current = np.arange(size, size + order.reg[SLOTS])  # by slot: who wrote last, as in ``readers_at``
    holder = np.full(order.reg[SLOTS], NONE, np.int64)  # by slot
    for i in range(order.reg[COUNTING]):
        unread[source_place(index, cone, order, order.reads[i])] += 1
    for t in range(len(cone.base)):
        a = NONE if cone.base[t] == 0 else innermost(index, index.starts[t] + cone.base[t] - 1)
        while a != NONE:
            if is_open(index, a, index.starts[t] + cone.base[t]) and order.slot[index.target[a]] != NONE:
                holder[order.slot[index.target[a]]] = t
            a = int(index.inside[a])
    for number in range(size):
        n = _choose(index, cone, order, done, prefer, unread, current, holder)
        if n == NONE:
            return out[:number]
        out[number] = e = _event_at(index, cone, order, n, done[n])
        _do(index, cone, order, e, unread, current, holder)
        done[n] += 1
    return out


def _event_at(index: Index, cone: Cone, order: Order, n: int, here: int) -> int:
    t = order.active[n]
    return int(index.starts[t] + cone.base[t] + here - order.at[n])


def _choose(
    index: Index,
    cone: Cone,
    order: Order,
    done: Ints,
    prefer: int,
    unread: Ints,
    current: Ints,
    holder: Ints,
) -> int:
    """The thread of the event that comes next, by its number: of the preferred one, or the earliest in the trace that
    may."""
    tried, rows, starts, base, active, at = NONE, index.row, index.starts, cone.base, order.active, order.at
    while True:
        best = best_row = NONE
        for n in range(len(active)):
            if done[n] < at[n + 1]:
                t = active[n]
                row = 0 if t == prefer else rows[starts[t] + base[t] + done[n] - at[n]]
                if row > tried and (best == NONE or row < best_row):
                    best, best_row = n, row
        if best == NONE:
            return NONE
        e = _event_at(index, cone, order, best, done[best])
        if is_ready(order, done[best], done) and _may(index, cone, order, e, unread, current, holder):
            return int(best)
        tried = best_row


def _may(
    index: Index,
    cone: Cone,
    order: Order,
    e: int,
    unread: Ints,
    current: Ints,
    holder: Ints,
) -> bool:
    """Whether an event can be next, and nothing is lost by it."""
    kind = index.kind[e]
    if kind == ENTER:
        return bool(holder[order.slot[index.target[e]]] == NONE)
    if kind < READ or kind > LOOK:
        return True
    s, mine = order.slot[index.target[e]], 0
    if counts(index, cone, e):
        if current[s] != source_place(index, cone, order, e):
            return False
        mine = 1
    return bool(unread[current[s]] == mine or kind not in (WRITE, BOTH))


def _do(
    index: Index,
    cone: Cone,
    order: Order,
    e: int,
    unread: Ints,
    current: Ints,
    holder: Ints,
) -> None:
    kind = index.kind[e]
    if counts(index, cone, e):
        unread[source_place(index, cone, order, e)] -= 1
    if kind in (WRITE, BOTH):
        current[order.slot[index.target[e]]] = place(index, cone, order, e)
    elif kind == ENTER:
        holder[order.slot[index.target[e]]] = index.thread[e]
    elif kind == LEAVE:
        holder[order.slot[index.target[e]]] = NONE
