"""Decides whether a question has an answer (SeqCheck, Algorithm 4), on growing parts of the trace.

The rows before a window keep their order; the first window begins shortly before the events asked about. In each window

1. the events that every answer must have are computed: if they contradict each other, there is no answer on the whole
   trace;
2. an answer is searched for in which the window's events keep their order (sync-preserving), then one in which they
   don't;
3. if there is none, the order of the events that every answer must have is computed, too: it may have a cycle;
4. it remains to choose the sections that a thread leaves if it is not asked to stand somewhere: first it stops in its
   sections, where it need not go on, then it leaves the innermost, and so on.

Both answers hold for the whole trace. If a window gives none, it is made eight times as long (or as long as the events
are apart), up to the whole trace; questions without an answer then are undecided. Windows do not grow if the next one,
estimated from the last, would exceed the allowed work.

Cost: that of the last window, mostly of some hundred events.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from mazurka.predict.seqcheck.cone import (
    ALLOWED,
    AS_IT_WAS,
    EARLIER,
    FAR,
    LEFT,
    NEEDED,
    SINCE,
    WORK,
    Cone,
    follow,
    grow,
    look_from,
    stop_of,
)
from mazurka.predict.seqcheck.index import NONE, Ints, TraceIndex
from mazurka.predict.seqcheck.layout import BY_ROW, lay_out
from mazurka.predict.seqcheck.order import CLOSED, CYCLE, close, forget

#: Answers.
NO, YES, UNDECIDED = range(3)

#: The most sections, among those open after the events asked about, that a thread is made to leave.
_STOPS: Final = 4

#: The number of rows before the events asked about with which the first window begins.
_FIRST: Final = 64

#: The factor by which windows grow.
_GROWTH: Final = 8

#: Windows may grow up to this length even if the work exceeds the allowance.
_NEAR: Final = 4096


def decide(
    index: TraceIndex, cone: Cone, slot: Ints, happen: Ints, next_: Ints, before: Ints, tell: bool
) -> tuple[int, int, Ints]:
    """The answer, the row where its window begins, and (if the answer is YES, and ``tell``) the window's rows in order.

    The question: ``happen`` happen, the pairs in ``before`` in their order; then threads stand before the events in
    ``next_``.
    """
    first, last = _first_and_last(index, happen, next_)
    reach = _FIRST
    while True:
        since, before_it = max(0, first - reach), cone.reg[WORK]
        answer, rows = _decide_since(index, cone, slot, happen, next_, before, since, tell)
        if answer != UNDECIDED or since == 0:
            return answer, since, rows
        if reach >= _NEAR and cone.reg[WORK] + _GROWTH * (cone.reg[WORK] - before_it) > cone.reg[ALLOWED]:
            return answer, since, rows
        reach = max(_GROWTH * reach, min(last - first, _NEAR))


def _first_and_last(index: TraceIndex, happen: Ints, next_: Ints) -> tuple[int, int]:
    """The first and the last row asked about."""
    first, last = len(index.row), 0
    for events in (happen, next_):
        for e in events:
            first, last = min(first, index.row[e]), max(last, index.row[e])
    return int(first), int(last)


def _decide_since(
    index: TraceIndex, cone: Cone, slot: Ints, happen: Ints, next_: Ints, before: Ints, since: int, tell: bool
) -> tuple[int, Ints]:
    rows, stop = np.empty(0, np.int64), np.empty(0, np.int64)
    look_from(index, cone, since)
    follow(cone, NEEDED)
    if not grow(index, cone, happen, next_, stop):
        return NO, rows
    needed, cap = cone.past.copy(), cone.cap.copy()
    follow(cone, AS_IT_WAS)
    if _keeps(index, before) and grow(index, cone, happen, next_, stop):
        return YES, _as_it_was(index, cone) if tell else rows
    follow(cone, EARLIER)
    rows = _reordered(index, cone, slot, happen, next_, stop, before)
    if len(rows) > 0:
        return YES, rows
    follow(cone, NEEDED)
    grow(index, cone, happen, next_, stop)
    code, order = close(index, cone, slot, before)
    forget(order)
    if code != CLOSED:
        return NO if code == CYCLE else UNDECIDED, rows
    follow(cone, LEFT)
    exact = False
    for sections in range(_STOPS if len(happen) > 0 else 0):
        stop = _stops(index, needed, cap, happen, sections)
        if len(stop) == 0:
            break
        rows = _reordered(index, cone, slot, happen, next_, stop, before)
        if len(rows) > 0:
            return YES, rows
        exact = (sections == 0 or exact) and _is_exact(index, cone, cap)
    if exact and len(stop) == 0:
        return NO, rows
    rows = _reordered(index, cone, slot, happen, next_, np.empty(0, np.int64), before)
    return (YES if len(rows) > 0 else UNDECIDED), rows


def _is_exact(index: TraceIndex, cone: Cone, cap: Ints) -> bool:
    """Whether the only choice was where one thread stops, so that there is no answer in which it stops there."""
    free = 0
    for t in range(len(cap)):
        if cone.past[t] > 0 and cone.cap[t] == FAR:
            return False
        free += cap[t] == FAR and cone.cap[t] < FAR
    return bool(free == 1 and cone.reg[SINCE] == 0 and len(index.loose) == 0)


def _stops(index: TraceIndex, needed: Ints, cap: Ints, happen: Ints, sections: int) -> Ints:
    """Limits for the threads asked about: as few events as are needed, but so many that they leave ``sections``
    sections; empty if no thread has so many."""
    stop = np.full(len(cap), FAR, np.int64)
    some = False
    for e in happen:
        t = int(index.thread[e])
        if cap[t] == FAR:
            position = stop_of(index, t, needed[t], sections)
            if position != NONE:
                stop[t] = position
                some = True
    return stop if some else stop[:0]


def _reordered(index: TraceIndex, cone: Cone, slot: Ints, happen: Ints, next_: Ints, stop: Ints, before: Ints) -> Ints:
    """The rows of a set in an order in which they can happen; empty if none is found."""
    rows = np.empty(0, np.int64)
    if not grow(index, cone, happen, next_, stop):
        return rows
    code, order = close(index, cone, slot, before)
    if code == CLOSED:
        for attempt in range(len(next_) + len(happen) + 1):
            prefer = BY_ROW if attempt == 0 else _thread_of(index, next_, happen, attempt - 1)
            events = lay_out(index, cone, order, prefer)
            if len(events) == len(order.head):
                rows = index.row[events].astype(np.int64)
                break
    forget(order)
    return rows


def _thread_of(index: TraceIndex, one: Ints, other: Ints, number: int) -> int:
    return int(index.thread[one[number] if number < len(one) else other[number - len(one)]])


def _keeps(index: TraceIndex, before: Ints) -> bool:
    """Whether the order asked for is that of the trace."""
    for i in range(len(before)):
        if index.row[before[i, 0]] > index.row[before[i, 1]]:
            return False
    return True


def _as_it_was(index: TraceIndex, cone: Cone) -> Ints:
    """The rows of the set in the order of the trace."""
    size, end, since = 0, 0, cone.reg[SINCE]
    for t in range(len(cone.past)):
        if cone.past[t] > cone.base[t]:
            size += cone.past[t] - cone.base[t]
            end = max(end, index.row[index.starts[t] + cone.past[t] - 1] + 1)
    rows = np.empty(size, np.int64)
    size = 0
    for row in range(since, end):
        e = index.event[row]
        t = index.thread[e]
        if e - index.starts[t] < cone.past[t]:
            rows[size] = row
            size += 1
    return rows
