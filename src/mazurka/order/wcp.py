"""Weak causal precedence: critical sections are ordered if they conflict; the first race, or a deadlock, is real.

Definition (Kini, Mathur, Viswanathan, "Dynamic Race Prediction in Linear Time", PLDI 2017, definition 3). The least
relation that contains

- (a) if two critical sections of a lock contain conflicting accesses, the first one's release before the second access;
- (b) if an event of one critical section precedes an event of a later one of the same lock and another thread, the
  first one's release before the second one's;
- (c) its composition with happens-before (hb.py), on either side;
- a fork before the events of the thread forked, these before its join; other synchronisation as in happens-before.

An event is racy if an earlier one of another thread conflicts with it and does not precede it. The first race of a
trace has a witness, or the trace has one of a deadlock (theorem 1); later ones are candidates.

The paper leaves out forks and joins. Here they are treated as sections that conflict would be: (c) applies.

RAPID reports fewer racy events where a thread takes one lock several times: its list of a lock's sections holds the
thread's own, too, so all events that an earlier release of the thread knew count as preceding a later one. Neither the
definition nor the paper's algorithm 1 says so (a section goes into the queues of *other* threads). Without that RAPID
reports the same events (docs/explanation/partial-orders.md).

Departures of the algorithm: times are numbers of events; among sections that happens-before orders only the last
matters, so one section per lock and variable is kept for the writes, and two for the reads; queues hold only sections
within which the thread published its clock (see dc.py), by thread instead of by reader.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from mazurka.order.racy_events import RacyEvents
from mazurka.order.weak import Rules, WeakOrder, races_of
from mazurka.trace.trace import Trace

_RULES: Final = Rules(nests=True, composes=True)


def races(trace: Trace, data: NDArray[np.bool_] | None = None) -> RacyEvents:
    """The racy events; ``data`` says which targets are variables (see :func:`~mazurka.order.streaming.columns_of`)."""
    return races_of(_RULES, trace, data)


def weak_causal_precedence(forked: NDArray[np.int32] | None = None) -> WeakOrder:
    """The order, for a trace that comes in parts."""
    return WeakOrder(_RULES, forked)
