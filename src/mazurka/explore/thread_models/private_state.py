"""Locations that one thread alone has changed: with its variables (program/python/liveness/loop_state.py), its state.

Cost: a dictionary entry per private place written.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

from mazurka.explore.thread_models.local_state import LocalState
from mazurka.trace.event import Op

#: ThreadLocalState places looked at when states are compared; where there are more, no two are taken for equal.
MOST: Final = 500

_LOCKING: Final = frozenset({Op.ACQUIRE, Op.RELEASE})


class LoopHeadState(NamedTuple):
    """Where a thread is when a pass of a loop begins: a moment, and what it has done there so far."""

    moment: LocalState
    entered: int  # loops
    touched: int  # objects


class ThreadLocalState:
    """What only a thread itself has changed, as far as it can be told: the rest of its state, see loop_state.py."""

    __slots__ = ("counts", "holds", "mine", "since")

    def __init__(self) -> None:
        self.holds: dict[Any, Any] = {}  # what it has written to places nobody else touches
        self.mine: set[int] = set()  # the objects it has touched
        self.counts = (0, 0)  # of what no step tells
        self.since = -1  # the moment at which it last did what can't be told

    def write(self, location: Any, op: Op, value: Any, moment: int) -> None:
        """Note a write at a location that no other thread touches; an unknown value is named after its local state."""
        if op in _LOCKING:
            value = (op.name,)
        elif value is None or op is Op.RMW and type(value) is not tuple:
            value = ("since", moment)
        self.holds[location] = value
