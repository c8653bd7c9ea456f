"""The protocol of strategies, which decide the next execution.

A strategy hands out *seeds*: plans with a number. The loop executes them, in any order and in any process, and has the
strategy observe the runs. The knowledge of a strategy is a sequence of *journal records*, plain data in the order in
which it was learnt; a new strategy of the same kind that restores all records of an interrupted one resumes its search
(seeds handed out but not observed are handed out again). A record of the kind ``reset`` makes all records before it
void.

A strategy implements the abstract methods of :class:`Strategy`. The other methods have defaults: a strategy grants no
leases, decides at once, and predicts no failures.

Records also carry work to other processes. A *lease* is part of the open work, as records for a new strategy of the
same kind, the *worker*; the worker's own records settle the lease with the owner. If a lease gets lost, its work is
done again.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple, Self

from mazurka.explore.coverage import Coverage
from mazurka.explore.outcome import Predictions
from mazurka.lazy_dataclass import dataclass
from mazurka.program.protocol import Plan, Run
from mazurka.program.source_analysis import SourceAnalysis

#: A kind and its plain operands (numbers, strings, bytes, tuples of these).
JournalRecord = tuple[Any, ...]


class Seed(NamedTuple):
    """A plan to execute; ``number`` is the strategy's number for it."""

    number: int
    plan: Plan


@dataclass(frozen=True, slots=True)
class Lease:
    """Part of the open work, for another strategy of the same kind; ``number`` is the owner's number for it."""

    number: int
    records: list[JournalRecord]


@dataclass(frozen=True, slots=True)
class Estimate:
    """Progress of a search: executions finished, seeds queued, and a guess of the total (None: unknown)."""

    done: int
    waiting: int
    total: float | None


@dataclass(frozen=True, slots=True)
class StrategySettings:
    """The settings that strategies use."""

    seed: int = 0
    solver: str = "search"
    finals: bool = False  # whether code outside the program tests the state in which each run ends
    races: bool = False  # whether races are predicted from every run
    late: bool = False  # whether a search of many executions went before
    timed: bool = False  # whether runs are those of plans with timing
    ordered: bool = False  # whether timeouts come after all earlier steps of others, in runs without timing
    search_order: str = "dfs"  # unfolding: the searcher
    memory: int | None = None  # unfolding: the most memory of this process, in megabytes
    branches: bool = True  # unfolding: whether unknown inputs are searched as the orders are
    cutoffs: bool = True  # unfolding: whether events that lead to the state of known ones end the search there
    bound: int | None = None  # preemptions up to which all orders are wanted, and no others
    depth: int = 3  # PCT: the number of ordering constraints a bug may need


class Strategy(ABC):
    """Decides which executions come; see the module. Its row in the registry states its guarantees."""

    exhaustive: bool  # whether no seed left means that all executions are covered
    divisible: bool = False  # whether parts of its work can be leased
    needs_advance: bool = False  # whether `next_seed` may take long, unless :meth:`advance` has been called before

    @classmethod
    def make(cls, settings: StrategySettings, source: SourceAnalysis) -> Strategy:
        """The strategy with these settings; ``source`` is the analysis of the program's source."""
        return cls()

    @property
    @abstractmethod
    def name(self) -> str:
        """The name of the strategy, as in the registry."""

    # -- deciding and learning ----------------------------------------------------------------------------------------

    @abstractmethod
    def next_seed(self) -> Seed | None:
        """The next plan to execute; None if there is none now."""

    @abstractmethod
    def observe(self, seed: Seed, run: Run) -> None:
        """Learn from the run of a seed."""

    def begin_again(self, earlier: Self) -> None:
        """Take over from an earlier strategy of the same kind, whose search has found new scheduling points, all that
        still holds; called once, before all other methods."""
        return  # by default, nothing does

    def foresee(self, run: Run) -> None:
        """Learn from a run that another strategy has asked for, such that this one need not begin again for the same
        reasons; called before any seed is taken."""
        return  # by default, nothing would

    def advance(self, seconds: float) -> bool:
        """Work on the decision for at most ``seconds``; true if it is made: then :meth:`next_seed` returns at once."""
        return True

    # -- reports ------------------------------------------------------------------------------------------------------

    @abstractmethod
    def estimate(self) -> Estimate:
        """The progress of the search."""

    @abstractmethod
    def incompleteness_reason(self) -> str:
        """The reason why not all executions are covered although no seed is left ("" if they are)."""

    def input_paths(self) -> int | None:
        """The number of paths that inputs have been searched for; None: all executions have the given inputs."""
        return None

    def proves_without_cut_runs(self) -> bool:
        """Whether the proof rests only on runs none of which was cut, although others were."""
        return False

    def summary(self) -> str:
        """The state of the search in a few words, for reports ("" if there is nothing to report)."""
        return ""

    def effort(self) -> int:
        """The work of its decisions so far, apart from executions: a count that no clock enters, of units that take
        about as long as a step of an execution."""
        return 0

    def coverage(self) -> Coverage:
        """What has been covered so far, beside what the guarantees of its row say."""
        return Coverage()

    def predictions(self) -> Predictions:
        """The failures that it has predicted so far."""
        return Predictions()

    def sleep_sets(self) -> Sequence[tuple[str, ...]]:
        """The threads in the sleep set before each scheduling point of the last run; none without sleep sets."""
        return ()

    # -- journal ------------------------------------------------------------------------------------------------------

    @abstractmethod
    def records(self) -> list[JournalRecord]:
        """The records since the last call."""

    @abstractmethod
    def restore(self, records: Iterable[JournalRecord]) -> None:
        """Take over the records of another strategy of the same kind; called once, before all other methods."""

    # -- several processes --------------------------------------------------------------------------------------------

    def grant_leases(self, parts: int) -> list[Lease]:
        """Grant up to ``parts`` leases of the open work."""
        return []

    def settle_lease(self, number: int, records: Iterable[JournalRecord] | None) -> None:
        """Take a lease back with the worker's records; None if it got lost."""
        raise LookupError(f"{self.name} has granted no lease {number}")

    def prune_from(self, number: int) -> bool:
        """Drop all seeds from ``number`` on; returns whether any are left before. False, without an effect, if the
        seeds have no order."""
        return False

    def has_own_work(self) -> bool:
        """Whether this process has executions to make while leases are out."""
        return False

    def share_state(self, owner: Self) -> None:
        """Share the owner's knowledge of the program, if owner and worker are in one process; called after
        :meth:`restore`."""
        return  # by default, a worker knows only its lease
