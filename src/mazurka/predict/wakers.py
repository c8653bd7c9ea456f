"""Which notifications may end the waits of a trace, in its own order and in others.

In the order of the trace a notification of one thread ends the wait of the thread that goes on first: one that goes on
later can be woken later. In another order another notification may end the wait. The maximal causal model keeps each
notification with its wait, which is stricter. So a question that it refutes is only infeasible if a *loose* model
refutes it, too: there a thread that waited goes on after a notification that comes no later than any that may wake it
(:class:`Waker`), if there is one.

A notification may end a wait unless it is by the same thread, or must come before the thread is parked or after it has
gone on, by the needs that :mod:`mazurka.predict.fast_path` computes.

Cost: one pass, and a test of each pair of a wait and a notification of one condition; if there are more than
:data:`_PAIRS`, no waker is known.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np

from mazurka.predict.fast_path import needs_of
from mazurka.trace.columns import columns_of
from mazurka.trace.event import Op
from mazurka.trace.trace import Trace
from mazurka.trace.waits import NONE, Wait

_PAIRS: Final = 500_000


class Waker(NamedTuple):
    """A notification, as a row, without which a wait does not end, and whether no other one can end it."""

    row: int
    only: bool


def notifications_of(trace: Trace) -> list[int]:
    """All rows that notify."""
    op = columns_of(trace).op
    rows: list[int] = np.flatnonzero((op == Op.NOTIFY) | (op == Op.NOTIFY_ALL)).tolist()
    return rows


def ended_by(trace: Trace, waits: Sequence[Wait]) -> dict[int, list[Wait]]:
    """For each row that notifies, the waits that it ends in the trace."""
    _, op, target, _, _ = columns_of(trace)
    parks = {wait.parks: wait for wait in waits}
    parked: dict[int, list[Wait]] = {}
    found: dict[int, list[Wait]] = {}
    for row in sorted([*parks, *notifications_of(trace)]):
        if row in parks:
            parked.setdefault(parks[row].condition, []).append(parks[row])
            continue
        here = [wait for wait in parked.get(int(target[row]), []) if not 0 <= wait.goes_on < row]
        by_end = sorted(here, key=lambda wait: (wait.goes_on == NONE, wait.goes_on))
        ended = here if op[row] == Op.NOTIFY_ALL else by_end[:1]
        parked[int(target[row])] = [wait for wait in here if wait not in ended]
        found[row] = ended
    return found


def wakers_of(trace: Trace, waits: Sequence[Wait]) -> dict[int, Waker]:
    """For each row that goes on after a wait that a notification ended, its waker, if there is one in every order."""
    thread, target = np.asarray(trace.thread), np.asarray(trace.target)
    woken = [wait for ended in ended_by(trace, waits).values() for wait in ended if wait.goes_on != NONE]
    signals: dict[int, list[int]] = {}
    for row in notifications_of(trace):
        signals.setdefault(int(target[row]), []).append(row)
    if sum(len(signals[wait.condition]) for wait in woken) > _PAIRS:
        return {}
    rows = sorted({*(wait.parks for wait in woken), *(row for several in signals.values() for row in several)})
    needs = dict(zip(rows, needs_of(trace, rows), strict=True)) if woken else {}
    found = {}
    for wait in woken:
        own = int(thread[wait.parks])
        may = [
            row
            for row in signals[wait.condition]
            if thread[row] != own and row > needs[wait.parks][thread[row]] and needs[row][own] < wait.goes_on
        ]
        if len({int(thread[row]) for row in may}) == 1:
            found[wait.goes_on] = Waker(may[0], len(may) == 1)
    return found
