"""Where threads wait on conditions in a trace, which locks they give up for that, and where they go on.

A thread that waits on a condition gives up the condition's lock and gets it back once woken. A trace has three events
of the thread for that; between them the thread has only events that touch nothing shared (a ``request l`` before the
acquire, a branch)::

    wait c, release l, acquire l       as Mazurka writes it: parked first, then the lock is given up
    release l, wait c, acquire l       as other tools write it (patent 003, "Implementation")

In both the thread is parked from the first of the three on, and goes on, when woken, with the last, which is missing if
it is never woken. (Of a re-entrant lock there may be several releases and acquires.) A wait with none of this gives up
no lock that the trace records: its thread goes on with its next event of any kind.

Cost: some microseconds for each wait.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from typing import Any, Final, NamedTuple

from mazurka.trace.event import READS, WRITES, Op
from mazurka.trace.trace import Trace

#: In place of a row or a lock: there is none.
NONE: Final = -1


class Wait(NamedTuple):
    """A wait: the rows of the WAIT, of the event from which on the thread is parked, and of the one with which it goes
    on; and the targets of the condition and of the lock given up."""

    row: int
    condition: int
    parks: int
    goes_on: int
    lock: int


def waits_of(trace: Trace) -> list[Wait]:
    """All waits of a trace, in the order of their rows."""
    found = []
    for row in _rows_that_wait(trace):
        own = trace.rows_of_thread[trace.thread[row]]
        found.append(_wait(trace, own, bisect_left(own, row)))
    return found


def _rows_that_wait(trace: Trace) -> list[int]:
    if isinstance(trace.op, array):
        return [row for row, op in enumerate(trace.op) if op == Op.WAIT]
    rows: list[int] = (trace.op == Op.WAIT).nonzero()[0].tolist()
    return rows


def _wait(trace: Trace, own: Any, here: int) -> Wait:
    """The wait that is a thread's event number ``here``."""
    row, condition = int(own[here]), int(trace.target[own[here]])
    before, after = _touching(trace, own, here, -1), _touching(trace, own, here, 1)
    lock, last = _lock(trace, own, after, Op.RELEASE), after
    while lock != NONE and _lock(trace, own, last, Op.RELEASE) == lock:
        last = _touching(trace, own, last, 1)
    if lock != NONE and (last == len(own) or _lock(trace, own, last, Op.ACQUIRE) == lock):
        return Wait(row, condition, row, _row(own, last), lock)
    lock = _lock(trace, own, before, Op.RELEASE)
    if lock != NONE and (after == len(own) or _lock(trace, own, after, Op.ACQUIRE) == lock):
        return Wait(row, condition, int(own[before]), _row(own, after), lock)
    return Wait(row, condition, row, _row(own, after), NONE)


def _touching(trace: Trace, own: Any, here: int, way: int) -> int:
    """The index of a thread's next event (``way`` -1: of the one before) that touches something shared."""
    here += way
    while 0 <= here < len(own) and not (READS[trace.op[own[here]]] or WRITES[trace.op[own[here]]]):
        here += way
    return here


def _row(own: Any, here: int) -> int:
    return int(own[here]) if here < len(own) else NONE


def _lock(trace: Trace, own: Any, here: int, op: Op) -> int:
    """The target of a thread's event number ``here`` if its operation is ``op``."""
    there = 0 <= here < len(own) and trace.op[own[here]] == op
    return int(trace.target[own[here]]) if there else NONE
