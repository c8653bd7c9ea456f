"""What a claim shows: an order of some of a trace's steps that any program with this trace can also take.

A claim ("these two can race", "this deadlock is reachable") is believed because of such an order, not because of who
found it. :mod:`mazurka.witness.check` decides whether an order is one, and knows nothing of how orders are found.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Witness:
    """``order`` lists steps of the trace (numbers in its column ``step``).

    ``unread`` are steps whose own reads need not be kept: the last of their threads in the order, whose values
    nothing in the order depends on.
    """

    order: tuple[int, ...]
    unread: frozenset[int] = frozenset()
