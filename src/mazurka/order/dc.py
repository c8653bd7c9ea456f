"""Doesn't-commute: weak-doesn't-commute, with sections of a lock ordered as a whole if events in them are ordered.

Definition (Roemer, Genc, Bond, "High-Coverage, Unbounded Sound Predictive Race Detection", PLDI 2018). The least order
that contains weak-doesn't-commute (wdc.py) and

- (b) if an event of one critical section comes before an event of a later one of the same lock, the first one's release
  before the second one's.

Weaker than wcp; its races are candidates. The paper's vindication, which looks for a witness, is not part of this.

Departure: (b) can only order events if a thread published its clock before it released the lock, in a nested section or
at a fork. Only such sections are put in the lists (the paper's queues); and the lists are kept by thread and searched,
instead of being drained by each of the other threads.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from mazurka.order.racy_events import RacyEvents
from mazurka.order.weak import Rules, WeakOrder, races_of
from mazurka.trace.trace import Trace

_RULES: Final = Rules(nests=True, composes=False)


def races(trace: Trace, data: NDArray[np.bool_] | None = None) -> RacyEvents:
    """The racy events; ``data`` says which targets are variables (see :func:`~mazurka.order.streaming.columns_of`)."""
    return races_of(_RULES, trace, data)


def doesnt_commute(forked: NDArray[np.int32] | None = None) -> WeakOrder:
    """The order, for a trace that comes in parts."""
    return WeakOrder(_RULES, forked)
