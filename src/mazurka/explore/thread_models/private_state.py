"""Locations that only one thread has changed; with its variables (program/runtime/loops.py) they are its
state.

Cost: a dictionary entry per private place written.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

from mazurka.explore.thread_models.local_state import LocalState
from mazurka.trace.event import Op

#: The most private locations that are compared; states with more count as different.
MOST: Final = 500

_LOCKING: Final = frozenset({Op.ACQUIRE, Op.RELEASE})


class LoopHeadState(NamedTuple):
    """The state of a thread at the beginning of an iteration of a loop: its local state, and its effects so far."""

    moment: LocalState
    entered: int  # how many loops it has come to
    touched: int  # how many objects it has touched


class ThreadLocalState:
    """Locations that only the thread itself has changed, if values are recorded: the rest of its state, see
    loops.py."""

    __slots__ = ("counts", "holds", "mine", "since")

    def __init__(self) -> None:
        self.holds: dict[Any, Any] = {}  # its writes to locations that no other thread accesses
        self.mine: set[int] = set()  # the objects it has touched
        self.counts = (0, 0)  # numbers of effects that no step shows
        self.since = -1  # the local state at which it last had an unrecorded effect

    def write(self, location: Any, op: Op, value: Any, moment: int) -> None:
        """Note a write to a location that no other thread touches; the local state identifies an unknown value."""
        if op in _LOCKING:
            value = (op.name,)
        elif value is None or op is Op.RMW and type(value) is not tuple:
            value = ("since", moment)
        self.holds[location] = value
