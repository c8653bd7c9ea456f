"""The counters of a reads-from search: executions, queries, and the unknowns that make it incomplete."""

from __future__ import annotations

from mazurka.lazy_dataclass import dataclass


@dataclass(slots=True)
class McrCounters:
    """The counters of one search."""

    runs: int = 0
    repeated: int = 0  # runs of a class already seen
    diverged: int = 0  # seeds that the program could not follow
    lost: int = 0  # diverged seeds that should have been possible
    queries: int = 0
    elided: int = 0  # the steps of elided runs
    unknown: int = 0  # queries the solver gave up on
    capped: int = 0  # steps with more combinations of sources than are tried
    varying: bool = False  # the accesses of a step depend on values that threads change without an order
