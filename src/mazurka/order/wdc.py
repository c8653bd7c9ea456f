"""Weak-doesn't-commute: races that remain if critical sections order each other only where they conflict.

Definition (thesis, definition 2.2.2; Roemer, Genc, Bond, "SmartTrack: Efficient Predictive Race Detection", PLDI 2020).
The least order that contains

- the order of each thread's events;
- (a) if two critical sections of a lock contain conflicting accesses, the first one's release before the second access;
- a fork before the events of the thread forked, these before its join.

Other synchronisation (conditions, atomics) orders as in happens-before (hb.py). This is the weakest of these orders: an
event that is racy under wcp or dc is racy under it. Racy events are candidates, for which a witness has to be found;
they need not be real races. Nor are all races among them, since two sections that write the same variable may well
change places.

Departures: racy events are found exactly, later ones included, while SmartTrack's epochs keep the last access only. So
conflicting sections of a lock are looked up by lock and variable, not in a list that is kept with the last access.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from mazurka.order.racy_events import RacyEvents
from mazurka.order.weak import Rules, WeakOrder, races_of
from mazurka.trace.trace import Trace

_RULES: Final = Rules(nests=False, composes=False)


def races(trace: Trace, data: NDArray[np.bool_] | None = None) -> RacyEvents:
    """The racy events; ``data`` says which targets are variables (see :func:`~mazurka.order.streaming.columns_of`)."""
    return races_of(_RULES, trace, data)


def weak_doesnt_commute(forked: NDArray[np.int32] | None = None) -> WeakOrder:
    """The order, for a trace that comes in parts."""
    return WeakOrder(_RULES, forked)
