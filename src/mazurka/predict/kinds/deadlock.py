"""Deadlocks: threads each of which waits for the next one, or for a notification that never comes.

Candidates are cycles of locks and joins (deadlocks/lock_cycles.py). A stage of its own looks for deadlocks of threads
that wait for notifications (deadlocks/communication.py).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

import numpy as np

from mazurka.causal.question import Question
from mazurka.predict.deadlocks.lock_cycles import LockCycles
from mazurka.predict.kinds.definition import Doing, Rows
from mazurka.trace.columns import columns_of
from mazurka.trace.event import Op
from mazurka.trace.ids import StepIndex
from mazurka.trace.trace import Trace
from mazurka.witness.witness import Claim, Deadlocks

#: The operations of threads in a deadlock that is no cycle of locks.
_ENDLESS: Final = (Op.WAIT, Op.JOIN)


def candidates(trace: Trace, thorough: bool) -> Iterable[Rows]:  # none of them implies another
    """See :class:`~mazurka.predict.kinds.registry.Definition`."""
    return LockCycles(trace)


def claim(rows: Rows) -> Claim:
    """The claim that each waits for the thread of the next."""
    return Deadlocks(tuple(map(StepIndex, rows)))


def question(rows: Rows, trace: Trace) -> Question:
    """Whether each can be next, or wait for the end of a thread that has begun."""
    joins = joins_of(rows, trace)
    starts = tuple(row for join in joins for row in _starts_of(trace, join))
    return Question(starts, next=tuple([row for row in rows if row not in joins]), blocked=joins)


def joins_of(rows: Rows, trace: Trace) -> Rows:
    """The rows that wait for the end of a thread."""
    return tuple([row for row in rows if trace.op[row] == Op.JOIN])


def _starts_of(trace: Trace, row: int) -> list[int]:
    """The row that starts the thread of a row, if that is the thread's first row."""
    thread, op, target, _, _ = columns_of(trace)
    if trace.rows_of_thread[thread[row]][0] != row:
        return []
    forks = np.flatnonzero(op[:row] == Op.FORK)
    found: list[int] = forks[np.asarray(trace.thread_of_target)[target[forks]] == thread[row]].tolist()
    return found


def sentence(events: Sequence[Doing]) -> str:
    """The words of the finding: the waiting threads."""
    threads = ", ".join(dict.fromkeys(each.thread for each in events))
    if any(each.op is Op.WAIT for each in events):
        return f"{threads} wait, and no thread is left to go on"
    return f"{threads} wait for one another"


def ending(events: Sequence[Doing]) -> str:
    """How the order ends."""
    return "then all wait" if any(each.op in _ENDLESS for each in events) else "then each waits for the next"
