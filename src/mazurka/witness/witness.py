"""What a claim shows: an order of some of a trace's steps that any program with this trace can also take.

A claim ("this thread fails", "this deadlock is reachable") is believed because of such an order, not because of who
found it. :mod:`mazurka.witness.check` decides whether an order is one and leads to what is claimed, and knows nothing
of how orders are found.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from mazurka.trace.event import Op


@dataclass(frozen=True, slots=True)
class Fails:
    """The thread dies, or finds something wrong, right after its first ``steps`` steps."""

    thread: str
    steps: int


@dataclass(frozen=True, slots=True)
class Waiting:
    """A thread stopped before an operation that can't be done now, ``holder`` being in the way (None: nobody known).

    ``repeats`` is there for a thread held in a loop whose passes change nothing: the targets that they read.
    """

    thread: str
    op: Op
    target: Any
    holder: str | None = None
    repeats: tuple[Any, ...] | None = None


@dataclass(frozen=True, slots=True)
class Stuck:
    """No living thread can go on: each waits. Those in ``circle`` wait for one another."""

    waiting: tuple[Waiting, ...]
    circle: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Races:
    """Each of these two steps is what its thread does next, and they conflict: both touch some place, one writes it."""

    first: int
    second: int


@dataclass(frozen=True, slots=True)
class Witness:
    """``order`` lists steps of the trace (numbers in its column ``step``).

    ``unread`` are steps whose own reads need not be kept: the last of their threads in the order, whose values
    nothing in the order depends on. ``claim`` is what the order leads to; None claims no more than the order.
    """

    order: tuple[int, ...]
    unread: frozenset[int] = frozenset()
    claim: Fails | Stuck | Races | None = None
