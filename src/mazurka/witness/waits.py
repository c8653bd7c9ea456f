"""The waits of threads in a recorded trace, for the checker (:mod:`mazurka.witness.columns`).

A waiting thread only releases a lock until it goes on. So it goes on with its first access to shared state after the
wait that is no release (requests, branches and the like are not looked at).
If that access acquires the only lock that was released meanwhile, or just before the wait, the wait gave up this lock.
If the thread has no event after the release, it waits for ever, having given up the lock released. Otherwise no lock is
given up, as far as the trace shows, and the thread goes on with its next event.

Shares no code with :mod:`mazurka.trace.waits`, which finds the waits for the search, by patterns of three events. Cost:
some microseconds for each wait, and a pass over the events of threads that wait.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from mazurka.trace.event import READS, WRITES, Op
from mazurka.trace.trace import Trace

Numbers = NDArray[Any]

_NONE: Final = -1
_SHARED: Final = np.array(READS) | np.array(WRITES)


class Parked(NamedTuple):
    """A wait: the row from which on the thread is parked; the rows of the wait and of the event with which the thread
    goes on, and the lock that it gives up meanwhile (-1: none)."""

    since: int
    row: int
    goes_on: int
    lock: int


def waits_in(trace: Trace, op: Numbers, target: Numbers) -> Iterator[Parked]:
    """All waits of a trace, thread by thread."""
    waiting = np.unique(np.asarray(trace.thread)[op == Op.WAIT])
    for thread in waiting.tolist():
        own = np.asarray(trace.rows_of_thread[thread])
        own = own[_SHARED[op[own]]]
        ends = np.append(np.flatnonzero(op[own] != Op.RELEASE), len(own))  # sequences of releases are between these
        places = zip(np.append(_NONE, ends).tolist(), *[column.tolist() for column in (ends, ends[1:])], strict=False)
        for before, here, after in places:
            if op[own[here]] == Op.WAIT:
                yield _parked(own, before, here, after, op, target)


def _parked(own: Numbers, before: int, here: int, after: int, op: Numbers, target: Numbers) -> Parked:
    """The wait at an index of a thread's rows; ``before`` and ``after`` are the nearest events that are no releases."""
    row = int(own[here])
    goes_on = int(own[after]) if after < len(own) else _NONE
    given_up = set(target[own[here + 1 : after]].tolist())
    since = row
    if not given_up and before < here - 1:
        since = int(own[here - 1])
        given_up = {int(target[since])}
    taken_back = {int(target[goes_on])} if goes_on != _NONE and op[goes_on] == Op.ACQUIRE else set()
    if len(given_up) == 1 and (goes_on == _NONE or taken_back == given_up):
        return Parked(since, row, goes_on, given_up.pop())
    return Parked(row, row, int(own[here + 1]) if here + 1 < len(own) else _NONE, _NONE)
