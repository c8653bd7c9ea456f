"""Threads whose end a trace does not show.

A thread may go on after the trace unless its last event is an END, or it is joined. If the trace is known to be
complete, each thread ends with its last event, except for threads that wait: for a notification
(:mod:`mazurka.trace.waits`), or for a lock that they have requested.

Cost: a pass, and a copy of the columns if something is added.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from mazurka.trace.columns import Columns, Names, Parts, assemble, columns_of, joined
from mazurka.trace.event import Op
from mazurka.trace.targets import THREAD
from mazurka.trace.trace import NO_VALUE, Trace
from mazurka.trace.waits import NONE, waits_of

#: In place of a row's number: the event is not in the given trace.
NOT_THERE = -1


def unended(trace: Trace) -> list[int]:
    """The threads with events that may go on after the trace."""
    thread, op, target, _, _ = columns_of(trace)
    lasts = [int(rows[-1]) if len(rows) else NONE for rows in trace.rows_of_thread]
    joined_ = {int(trace.thread_of_target[x]) for x in np.unique(target[op == Op.JOIN]).tolist()}
    waiting = {int(thread[wait.row]) for wait in waits_of(trace) if wait.goes_on == NONE}
    return [
        number
        for number, last in enumerate(lasts)
        if last != NONE and op[last] not in (Op.END, Op.REQUEST) and number not in joined_ | waiting
    ]


def completed(trace: Trace, threads: Sequence[int]) -> tuple[Trace, NDArray[np.int64]]:
    """The trace with an END of each of these threads right after its last event; and for each row its number in the
    given trace (:data:`NOT_THERE` for a new END)."""
    names = {name: number for number, name in enumerate(trace.targets)}
    targets = list(trace.targets)
    ends = [(THREAD, trace.threads[thread]) for thread in threads]
    targets += [end for end in ends if end not in names]
    numbers = {name: number for number, name in enumerate(targets)}
    nothing = np.full(len(threads), NO_VALUE, np.int32)
    more = Columns(
        np.array(threads, np.int32),
        np.full(len(threads), Op.END, np.int8),
        np.array([numbers[end] for end in ends], np.int32),
        nothing,
        nothing,
    )
    lasts = np.array([trace.rows_of_thread[thread][-1] for thread in threads], np.int64)
    order = np.argsort(
        np.append(np.arange(len(trace)), lasts), kind="stable"
    )  # each END right after the last event of its thread
    rows = joined([columns_of(trace), more]).select(order)
    made = assemble(Parts(Names(trace.threads, targets, trace.values, trace.locations), iter([rows])))
    return made, np.append(np.arange(len(trace)), np.full(len(threads), NOT_THERE))[order]
