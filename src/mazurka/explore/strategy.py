"""What a strategy is: it decides which execution comes next.

A strategy hands out *seeds*: plans with a number. The loop runs them, in whatever order or place, and has the strategy
observe the runs. What a strategy knows it can tell as *rows*, plain data in the order in which it learnt them; a new
strategy of the same kind fed with all rows of an interrupted one goes on where that stopped (seeds handed out but not
observed come again). A row of the kind ``anew`` makes all rows before it void.

A strategy implements the abstract methods of :class:`Strategy`. What else it may be able to do has a default that says
that it can't: by default nothing of it can be leased, it never needs long to decide, and it predicts nothing.

Rows also carry work to other processes: a *lease* is part of what there is to do, as rows for a new strategy of the
same kind, the *worker*, to begin with; what that tells afterwards, by its own rows, settles the lease with the owner. A
lease may get lost: then its part is to be done again.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple, Self

from mazurka.explore.outcome import Predictions
from mazurka.program.protocol import Plan, Run
from mazurka.program.source_analysis import SourceAnalysis

#: One thing learnt: a kind and its plain operands (numbers, strings, bytes, tuples of these).
Row = tuple[Any, ...]


class Seed(NamedTuple):
    """A run wanted; ``number`` is the strategy's own."""

    number: int
    plan: Plan


@dataclass(frozen=True, slots=True)
class Lease:
    """Part of what there is to do, for another strategy of the same kind; ``number`` is the owner's own."""

    number: int
    rows: list[Row]


@dataclass(frozen=True, slots=True)
class Estimate:
    """How far a search is: runs finished, runs known to be waiting, and a guess of the total (None: no idea)."""

    done: int
    waiting: int
    total: float | None


@dataclass(frozen=True, slots=True)
class StrategySettings:
    """What strategies can be told."""

    seed: int = 0
    solver: str = "search"
    finals: bool = False  # whether somebody who is no thread of the program judges the state each run ends in
    races: bool = False  # whether every run is looked at for races that it implies
    timed: bool = False  # whether runs are those of plans with timing
    depth: int = 3  # PCT: the number of ordering constraints a bug may need


class Strategy(ABC):
    """Decides what to run; see the module. Its row in the registry says what it promises."""

    exhaustive: bool  # whether running out of seeds means that nothing is left to see
    divisible: bool = False  # whether parts of its work can be leased

    @classmethod
    def make(cls, settings: StrategySettings, source: SourceAnalysis) -> Strategy:
        """The strategy with these settings, for a program of whose ``source`` this is known."""
        return cls()

    @property
    @abstractmethod
    def name(self) -> str:
        """As in the registry."""

    # -- deciding and learning ----------------------------------------------------------------------------------------

    @abstractmethod
    def next_seed(self) -> Seed | None:
        """What to run next, or None if there is nothing now."""

    @abstractmethod
    def observe(self, seed: Seed, run: Run) -> None:
        """Learn from the run of a seed."""

    def advance(self, seconds: float) -> bool:
        """Work on the decision for so long at most; whether it is made, so that :meth:`next_seed` returns at once."""
        return True

    # -- what is known of it ------------------------------------------------------------------------------------------

    @abstractmethod
    def estimate(self) -> Estimate:
        """How far the search is."""

    @abstractmethod
    def incompleteness_reason(self) -> str:
        """Why running out of seeds does not mean that everything was covered ("" if it does)."""

    def summary(self) -> str:
        """What a person should know about the search, in a few words ("" if nothing)."""
        return ""

    def predictions(self) -> Predictions:
        """The failures that it has predicted so far."""
        return Predictions()

    # -- rows ---------------------------------------------------------------------------------------------------------

    @abstractmethod
    def rows(self) -> list[Row]:
        """What was learnt since the last call."""

    @abstractmethod
    def restore(self, rows: Iterable[Row]) -> None:
        """Learn what another of the same kind had learnt; called once, before anything else."""

    # -- several processes --------------------------------------------------------------------------------------------

    def grant_leases(self, parts: int) -> list[Lease]:
        """Give away up to ``parts`` leases of what there is to do now."""
        return []

    def settle_lease(self, number: int, rows: Iterable[Row] | None) -> None:
        """Take a lease back: what the worker told at its end, or None if it got lost."""
        raise LookupError(f"{self.name} has granted no lease {number}")

    def prune_from(self, number: int) -> bool:
        """Drop all seeds from ``number`` on; whether any are left before. A strategy whose seeds come in no order of
        their own takes no notice and says no."""
        return False

    def has_own_work(self) -> bool:
        """Whether there are runs to make in this process while leases are out."""
        return False

    def share_state(self, owner: Self) -> None:
        """Know what ``owner`` knows of the program, where it is in the same process as its worker; called after
        :meth:`restore`."""
        return  # by default, a worker knows what its lease says
