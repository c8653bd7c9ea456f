"""The protocol of strategies, which decide which execution comes next.

A strategy hands out *seeds*: plans with a number. The loop runs them, in whatever order or place, and gives the runs
back. What a strategy knows it can tell as *rows*, plain data in the order in which it learnt them; a new strategy of
the same kind fed with all rows of an interrupted one goes on where that stopped (seeds handed out but not given back
come again). A row of the kind ``anew`` makes all rows before it void.

Rows also carry work to other processes: a *lease* is part of what there is to do, as rows for a new strategy of the
same kind to begin with; what that tells afterwards, by its own rows, is settled with the owner. A lease may get lost:
then its part is to be done again.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, runtime_checkable

from mazurka.explore.outcome import Predictions
from mazurka.program.protocol import Plan, Run

if TYPE_CHECKING:
    pass

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
class Settings:
    """What strategies can be told."""

    seed: int = 0
    solver: str = "search"
    finals: bool = False  # whether somebody who is no thread of the program judges the state each run ends in
    races: bool = False  # whether every run is looked at for races that it implies
    timed: bool = False  # whether runs are those of plans with timing
    depth: int = 3  # PCT: the number of ordering constraints a bug may need
    extra: dict[str, Any] = field(default_factory=dict)


class Strategy(Protocol):
    """Decides what to run; see the module."""

    exhaustive: bool  # whether running out of seeds means that nothing is left to see

    @property
    def name(self) -> str: ...

    def take(self) -> Seed | None:
        """The next seed, or None if there is none now."""
        ...

    def give(self, seed: Seed, run: Run) -> None:
        """Learn from the run of a seed."""
        ...

    def estimate(self) -> Estimate: ...

    def note(self) -> str:
        """What a person should know about the search, in a few words ("" if nothing)."""
        ...

    def incompleteness_reason(self) -> str:
        """Why running out of seeds does not mean that everything was covered ("" if it does)."""
        ...

    def rows(self) -> list[Row]:
        """What was learnt since the last call."""
        ...

    def restore(self, rows: Iterable[Row]) -> None:
        """Learn what another of the same kind had learnt; called once, before anything else."""
        ...


@runtime_checkable
class Divisible(Strategy, Protocol):
    """A strategy whose work several processes can do."""

    def lend(self, parts: int) -> list[Lease]:
        """Give up to ``parts`` leases of what there is to do now."""
        ...

    def settle(self, number: int, rows: Iterable[Row] | None) -> None:
        """Take a lease back: what the worker told at its end, or None if it got lost."""
        ...

    def bound(self, number: int) -> bool:
        """Seeds from ``number`` on are not wanted any more; whether others are left. A strategy whose seeds come in no
        order of their own takes no notice and says no."""
        ...


@runtime_checkable
class Thoughtful(Strategy, Protocol):
    """A strategy that may need long to decide what to run next."""

    def think(self, seconds: float) -> bool:
        """Think for so long at most; whether it has decided, so that ``take`` will not keep anybody waiting."""
        ...


@runtime_checkable
class Accompanied(Divisible, Protocol):
    """A strategy of which a part is not divided: this process makes its runs while others make the rest."""

    def works_beside(self) -> bool:
        """Whether there are runs to make in this process while others are at what they were lent."""
        ...


@runtime_checkable
class Heir(Strategy, Protocol):
    """A worker that can use what the owner knows of the program, where both are in one process."""

    def inherit(self, owner: Any) -> None:
        """Know what ``owner``, of the same kind, knows; called after :meth:`restore`."""
        ...


@runtime_checkable
class Foretelling(Strategy, Protocol):
    """A strategy that predicts failures."""

    def predictions(self) -> Predictions:
        """What it has predicted so far."""
        ...
