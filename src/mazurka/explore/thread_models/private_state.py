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
    """The state of a thread when an iteration of a loop begins: its local state, and its effects so far."""

    moment: LocalState
    entered: int  # loops
    touched: int  # objects


class ThreadLocalState:
    """Locations that only the thread itself has changed, where values are recorded: the rest of its state, see
    loop_state.py."""

    __slots__ = ("counts", "holds", "mine", "since")

    def __init__(self) -> None:
        self.holds: dict[Any, Any] = {}  # its writes to locations that no other thread accesses
        self.mine: set[int] = set()  # the objects it has touched
        self.counts = (0, 0)  # of effects that no step shows
        self.since = -1  # the local state at which it last had an unrecorded effect

    def write(self, location: Any, op: Op, value: Any, moment: int) -> None:
        """Note a write at a location that no other thread touches; an unknown value is named after its local state."""
        if op in _LOCKING:
            value = (op.name,)
        elif value is None or op is Op.RMW and type(value) is not tuple:
            value = ("since", moment)
        self.holds[location] = value
