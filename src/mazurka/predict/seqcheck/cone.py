"""The events required by a question: feasible sets (SeqCheck, section 3.1 and Algorithm 1).

A set is closed under program order, so it is represented by a number of events per thread (``past``); the reads among
the first ``kept`` of these have to give the same values as in the trace. Rows before a row ``since`` keep their order,
so that the cost of a question depends on the events near it only. A set grows from the events asked about by one of
four rules, which differ in their treatment of critical sections:

- ``NEEDED``: only events that every answer must have. No prefix is assumed: rows before ``since`` are not looked at. If
  a thread would have to pass the event that it is to stand before, there is no answer on the whole trace.
- ``AS_IT_WAS``: all sections of a lock but the last in the trace are left. If there is such a set, its events in the
  order of the trace are an answer (sync-preserving: Mathur, Pavlogiannis, Viswanathan, POPL 2021, section 4).
- ``EARLIER``: the same set, but its events may happen in another order.
- ``LEFT``: sections of a lock are left once there are two of them, except sections in which a thread is to stand.

Departures: Algorithm 1 leaves each open section of a thread that is not asked about, even if no event needs the lock,
and starts from the whole trace; and it chooses one writer for a read that no branch follows, while here such a read may
get any value, since no event depends on it.

Cost: linear in the events that are added, and a search in each thread's events.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from mazurka.predict.seqcheck.index import BOTH, ENTER, JOIN, LOOK, NONE, READ, Ints, TraceIndex

#: The rules.
NEEDED, AS_IT_WAS, EARLIER, LEFT = range(4)

#: Registers: the number of waiting threads; the number of touched locks; 1 once there is no such set; the window's
#: first row; the rule; the work so far (the events of all sets, weighted by threads); and the work after which far
#: windows are given up.
WAIT, TOUCHED, STUCK, SINCE, RULE, WORK, ALLOWED = range(7)

#: In place of a number of events: there is no limit on the thread.
FAR: Final = 2**31 - 1


class Cone(NamedTuple):
    """The set, and the events about to enter it. Arrays are by thread unless they say otherwise."""

    base: Ints  # events before the window
    past: Ints  # events in the set
    kept: Ints  # how many of these keep their reads
    cap: Ints  # the most events that can be in the set
    seen: Ints  # how many of ``past`` have been looked at
    looked: Ints  # how many of ``kept`` have been looked at
    waiting: Ints  # threads to be looked at, and whether they are among them
    is_waiting: Ints
    stood_in: Ints  # by lock: the section in which a thread stands to the end
    top: Ints  # by lock: the section that has not been left, or the last
    touched: Ints  # locks with an entry in one of these
    reg: Ints  # the registers


def cone_of(threads: int, targets: int) -> Cone:
    """An empty set."""
    by_thread, by_lock = np.zeros((7, threads), np.int64), np.full((2, targets), NONE, np.int64)
    base, past, kept, cap, seen, looked, waiting = by_thread
    return Cone(
        base,
        past,
        kept,
        cap,
        seen,
        looked,
        waiting,
        np.zeros(threads, np.int8),
        by_lock[0],
        by_lock[1],
        np.zeros(targets, np.int64),
        np.zeros(7, np.int64),
    )


def look_from(index: TraceIndex, cone: Cone, since: int) -> None:
    """Set the window: from now on sets are made of the events from row ``since`` on."""
    cone.reg[SINCE] = since
    for t in range(len(cone.base)):
        cone.base[t] = events_before(index, t, since)


def follow(cone: Cone, rule: int) -> None:
    """Set the rule by which sets grow from now on."""
    cone.reg[RULE] = rule


def grow(index: TraceIndex, cone: Cone, happen: Ints, next_: Ints, stop: Ints) -> bool:
    """The least set for which ``happen`` happen and threads can stand before ``next_``; false if there is none.

    ``stop`` limits the number of events of each thread (empty: no limits).
    """
    _open_up(index, cone, next_, stop)
    for i in range(len(next_)):
        e = next_[i]
        t = int(index.thread[e])
        position = e - index.starts[t]
        if position > cone.past[t]:
            cone.past[t] = position
        _keep(index, cone, t, guard_of(index, e))
        if position == index.born[t] and index.fork[t] != NONE:
            want(index, cone, int(index.fork[t]))
        if index.kind[e] == JOIN:
            _want_ended(index, cone, int(index.link[e]))
        _wait(cone, t)
    for i in range(len(happen)):
        want(index, cone, happen[i])
    _look(index, cone)
    events = threads = 0
    for t in range(len(cone.past)):
        events += cone.past[t] - cone.base[t]
        threads += int(cone.past[t] > cone.base[t])
    cone.reg[WORK] += events * (4 + threads) // 8
    return bool(cone.reg[STUCK] == 0)


def frees(index: TraceIndex, cone: Cone) -> bool:
    """Whether reads do not count in the set that was found last."""
    for t in range(len(cone.past)):
        for position in range(max(cone.kept[t], cone.base[t]), cone.past[t]):
            if index.kind[index.starts[t] + position] == READ:
                return True
    return False


def _open_up(index: TraceIndex, cone: Cone, next_: Ints, stop: Ints) -> None:
    """Begin with the empty set, or the rows before the window; enter the threads that must stand, and the open
    sections."""
    for i in range(cone.reg[TOUCHED]):
        cone.stood_in[cone.touched[i]] = cone.top[cone.touched[i]] = NONE
    cone.reg[:SINCE] = 0
    cone.is_waiting[:] = 0
    cone.cap[:] = FAR
    for i in range(len(next_)):
        t = index.thread[next_[i]]
        cone.cap[t] = min(cone.cap[t], next_[i] - index.starts[t])
    for t in range(len(stop)):
        cone.cap[t] = min(cone.cap[t], stop[t])
    for t in range(len(cone.base)):
        position = cone.base[t]
        cone.past[t] = cone.kept[t] = cone.seen[t] = cone.looked[t] = position
        if cone.cap[t] < position:
            cone.reg[STUCK] = 1
        if cone.reg[RULE] != NEEDED:
            a = innermost(index, index.starts[t] + position - 1) if position > 0 else NONE
            while a != NONE:
                if is_open(index, a, index.starts[t] + position):
                    _enter(index, cone, a)
                a = int(index.inside[a])
    for t in range(len(cone.base)):
        if 0 < cone.cap[t] < FAR:
            _stand(index, cone, index.starts[t] + cone.cap[t])


def _stand(index: TraceIndex, cone: Cone, e: int) -> None:
    """Limit a thread to the events before ``e``."""
    a = innermost(index, e - 1)
    while a != NONE:
        if is_open(index, a, e):
            _stand_in(index, cone, a)
        a = int(index.inside[a])


def events_before(index: TraceIndex, t: int, since: int) -> int:
    """The number of events of a thread before a row."""
    low, high = index.starts[t], index.starts[t + 1]
    if since == 0 or low == high:
        return 0
    while low < high:
        middle = (low + high) // 2
        if index.row[middle] < since:
            low = middle + 1
        else:
            high = middle
    return int(low - index.starts[t])


def innermost(index: TraceIndex, e: int) -> int:
    """The latest acquire of a thread whose section was open after ``e``; it may have been left since."""
    return int(e if index.kind[e] == ENTER else index.inside[e])


def stop_of(index: TraceIndex, t: int, position: int, sections: int) -> int:
    """The number of events after which a thread, at ``position``, has left ``sections`` of its sections; NONE if it has
    fewer open."""
    while sections > 0:
        e = index.starts[t] + position
        a = innermost(index, e - 1) if position > 0 else NONE
        least = NONE
        while a != NONE:
            if is_open(index, a, e) and index.link[a] != NONE and (least == NONE or index.link[a] < least):
                least = index.link[a]
            a = int(index.inside[a])
        if least == NONE:
            return NONE
        position = least - index.starts[t] + 1
        sections -= 1
    return position


def is_open(index: TraceIndex, acquire: int, e: int) -> bool:
    """Whether the section entered by ``acquire`` has not been left before a later event of its thread."""
    return bool(index.link[acquire] == NONE or index.link[acquire] >= e)


def guard_of(index: TraceIndex, e: int) -> int:
    """The number of events of its thread whose reads must keep their values for ``e`` to happen."""
    return int(index.guard[e] if len(index.guard) > 0 else e - index.starts[index.thread[e]])


def _stand_in(index: TraceIndex, cone: Cone, acquire: int) -> None:
    lock = index.target[acquire]
    _touch(cone, lock)
    held = cone.stood_in[lock]
    if held != NONE and held != acquire:
        cone.reg[STUCK] = 1
    cone.stood_in[lock] = acquire
    other = cone.top[lock]
    if other != NONE and other != acquire:
        want_left(index, cone, other)


def _touch(cone: Cone, lock: int) -> None:
    if cone.stood_in[lock] == NONE and cone.top[lock] == NONE:
        cone.touched[cone.reg[TOUCHED]] = lock
        cone.reg[TOUCHED] += 1


def want(index: TraceIndex, cone: Cone, e: int) -> None:
    """Add an event to the set, with all before it in its thread."""
    t = int(index.thread[e])
    number = e - index.starts[t] + 1
    if number > cone.past[t]:
        cone.past[t] = number
        _keep(index, cone, t, guard_of(index, e))
        _wait(cone, t)
    if number > cone.cap[t]:
        cone.reg[STUCK] = 1


def want_left(index: TraceIndex, cone: Cone, acquire: int) -> None:
    """Add the release of a section."""
    if index.link[acquire] == NONE:
        cone.reg[STUCK] = 1
    else:
        want(index, cone, int(index.link[acquire]))


def _keep(index: TraceIndex, cone: Cone, t: int, number: int) -> None:
    if number > cone.kept[t]:
        cone.kept[t] = number
        _wait(cone, t)


def _wait(cone: Cone, t: int) -> None:
    if cone.is_waiting[t] == 0:
        cone.is_waiting[t] = 1
        cone.waiting[cone.reg[WAIT]] = t
        cone.reg[WAIT] += 1


def _look(index: TraceIndex, cone: Cone) -> None:
    """Add the needs of threads' new events until there are none. Most needs are sources of reads; for these the arrays
    are in local variables, since numba counts references to an array each time it is taken out of a tuple."""
    starts, kinds, links, threads, rows = index.starts, index.kind, index.link, index.thread, index.row
    seen, past, looked, kept, cap, reg = cone.seen, cone.past, cone.looked, cone.kept, cone.cap, cone.reg
    waiting, is_waiting, targets, stood_in = cone.waiting, cone.is_waiting, index.target, cone.stood_in
    since, needed = reg[SINCE], reg[RULE] == NEEDED
    while reg[WAIT] > 0 and reg[STUCK] == 0:
        reg[WAIT] -= 1
        t = waiting[reg[WAIT]]
        is_waiting[t] = 0
        while seen[t] < past[t]:
            e = starts[t] + seen[t]
            if seen[t] == index.born[t] and index.fork[t] != NONE:
                _want_since(index, cone, int(index.fork[t]))
            seen[t] += 1
            if kinds[e] == ENTER:
                if not needed or stood_in[targets[e]] != NONE:
                    _enter(index, cone, e)
            elif kinds[e] == JOIN:
                _want_ended(index, cone, int(links[e]))
            elif kinds[e] in (BOTH, LOOK) and links[e] != NONE:
                _want_since(index, cone, int(links[e]))
        while looked[t] < kept[t]:
            e = starts[t] + looked[t]
            looked[t] += 1
            source = links[e]
            if kinds[e] != READ or source == NONE or rows[source] < since or (needed and is_loose(index, e)):
                continue
            u = threads[source]
            position = source - starts[u]
            if position >= past[u]:
                past[u] = position + 1
                if position >= cap[u]:
                    reg[STUCK] = 1
            elif position <= kept[u]:
                continue
            kept[u] = max(kept[u], position)
            if is_waiting[u] == 0:
                is_waiting[u] = 1
                waiting[reg[WAIT]] = u
                reg[WAIT] += 1


def _want_since(index: TraceIndex, cone: Cone, e: int) -> None:
    if index.row[e] >= cone.reg[SINCE]:
        want(index, cone, e)


def _want_ended(index: TraceIndex, cone: Cone, e: int) -> None:
    """Add the end of a thread at an event; without branches it might not end if it had read another value there."""
    if index.row[e] >= cone.reg[SINCE]:
        want(index, cone, e)
        if len(index.guard) == 0:
            t = int(index.thread[e])
            _keep(index, cone, t, e - index.starts[t] + 1)


def is_loose(index: TraceIndex, e: int) -> bool:
    """Whether other writes give a read the same value."""
    return bool(len(index.loose) > 0 and index.loose[e])


def _enter(index: TraceIndex, cone: Cone, acquire: int) -> None:
    """Enter a further section of a lock that is in the set."""
    lock, rule = index.target[acquire], cone.reg[RULE]
    if cone.stood_in[lock] != NONE:
        if cone.stood_in[lock] != acquire:
            want_left(index, cone, acquire)
        if rule == AS_IT_WAS and index.row[acquire] > index.row[cone.stood_in[lock]]:
            cone.reg[STUCK] = 1
    elif rule != NEEDED:
        _touch(cone, lock)
        other = cone.top[lock]
        if other == NONE:
            cone.top[lock] = acquire
        elif rule == LEFT:
            _leave_both(index, cone, lock, other, acquire)
        elif index.row[other] < index.row[acquire]:
            want_left(index, cone, other)
            cone.top[lock] = acquire
        else:
            want_left(index, cone, acquire)


def _leave_both(index: TraceIndex, cone: Cone, lock: int, one: int, other: int) -> None:
    """Leave two sections; a section that is never left has to be the last."""
    if index.link[other] == NONE:
        one, other = other, one
    want_left(index, cone, other)
    if index.link[one] == NONE:
        cone.stood_in[lock] = one
    else:
        want_left(index, cone, one)
