"""``auto``: ``mcr``, then ``se-mcr`` beside it; the first of the two that ends without a doubt has covered all.

Which of the two is quicker can't be seen from a program: ``mcr`` runs one order for each combination of writes that
reads may see, and may think long about which there are; ``se-mcr`` goes by values only, which are few in a pool of
connections, and many in a counter. So, as portfolios of solvers do, both go on, in turns of equal time.

Each of them explores by itself and proves by itself; the runs of either count for the failures that they show. A
strategy that ends in doubt is left out from then on, and the other one decides. ``mcr`` may be in doubt where the
locations that a step accesses depend on values that other threads change (mcr.py); ``se-mcr``, which goes by values, is
not. ``se-mcr`` leaves out orders that show races: where these are to be found, ``dpor`` takes its place, in doubt only.

Where other processes make runs (parallel/worker_pool.py), they make those of ``mcr``, and this process goes on with
``se-mcr``.

Cost: nothing for the first seconds, then at most twice the time of the quicker strategy.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from math import inf
from time import perf_counter
from typing import Final, Self

from mazurka.causal.solvers import make_solver
from mazurka.explore.mcr import ReadsFromSearch
from mazurka.explore.outcome import Predictions
from mazurka.explore.strategy import Estimate, JournalRecord, Lease, Seed, Strategy, StrategySettings
from mazurka.program.protocol import Run
from mazurka.program.source_analysis import SourceAnalysis

#: Seconds for which ``mcr`` is alone.
_LEAD: Final = 2.0

#: Seconds of a turn.
_TURN: Final = 0.1

#: States that ``se-mcr`` may keep, a few hundred bytes each, before it is left out.
_MOST_STATES: Final = 2_000_000

#: The prefix of the kinds of the second strategy's records.
_SECOND: Final = "second "


@dataclass(slots=True)
class _Part:
    """One of the two strategies, and how it is getting on."""

    strategy: Strategy
    seconds: float = 0.0  # that it has had
    out: int = 0  # seeds and leases that have not come back
    ended: bool = False  # it has nothing left to run, or was left out
    proved: bool = False  # it ended without a doubt


class Portfolio(Strategy):
    """The ``auto`` strategy. ``make_second`` is called once ``mcr`` has been alone for ``lead`` seconds, or ended in
    doubt."""

    exhaustive = True
    needs_advance = True
    divisible = True

    @classmethod
    def make(cls, settings: StrategySettings, source: SourceAnalysis) -> Strategy:
        mcr = ReadsFromSearch(make_solver(settings.solver), source.uses_of, repeats=settings.races)
        if settings.races:
            return cls(mcr, lambda: _dpor(settings), lead=inf)
        return cls(mcr, lambda: _se_mcr(settings))

    def __init__(self, mcr: ReadsFromSearch, make_second: Callable[[], Strategy], lead: float | None = None) -> None:
        self._mcr = mcr
        self._make_second = make_second
        self._first = _Part(mcr)
        self._second: _Part | None = None
        self._begins = perf_counter() + (_LEAD if lead is None else lead)
        self._ready: tuple[_Part, Seed] | None = None
        self._taken = 0.0  # when the last seed was
        self._saves_second = True

    @property
    def name(self) -> str:
        """The name of the strategy that decides, for reports."""
        return self._decisive().strategy.name

    def _decisive(self) -> _Part:
        """The strategy that has covered everything; until then, the first."""
        return next((part for part in self._parts() if part.proved), self._first)

    def _parts(self) -> list[_Part]:
        return [self._first] if self._second is None else [self._first, self._second]

    # -- turns --------------------------------------------------------------------------------------------------------

    def _turn(self) -> _Part | None:
        """Whose turn it is; None if nothing is left to run."""
        if self._decisive().proved:
            return None
        due = self._first.ended or perf_counter() >= self._begins
        if self._second is None and not self._mcr.is_worker and due:
            self._begin_second()
        able = [part for part in self._parts() if not part.ended]
        if self._first.out and self._second in able:
            return self._second
        return min(able, key=lambda part: part.seconds, default=None)

    def _begin_second(self) -> None:
        self._second = _Part(self._make_second(), self._first.seconds)

    def next_seed(self) -> Seed | None:
        self.advance(inf)
        if self._ready is None:
            return None
        (part, seed), self._ready = self._ready, None
        part.out += 1
        self._taken = perf_counter()
        return Seed(2 * seed.number + (part is self._second), seed.plan)

    def advance(self, seconds: float) -> bool:
        end = perf_counter() + seconds
        while self._ready is None and (part := self._turn()) is not None:
            begun = perf_counter()
            decided = part.strategy.advance(min(_TURN, max(end - begun, 0.0)))
            seed = part.strategy.next_seed() if decided else None
            part.seconds += perf_counter() - begun
            if part is self._second and _states_kept(part.strategy) > _MOST_STATES:
                part.ended = True
            elif seed is not None:
                self._ready = part, seed
            elif decided and part.out:
                break  # all that is left is under way
            elif decided:
                part.ended, part.proved = True, not part.strategy.incompleteness_reason()
            elif perf_counter() >= end:
                return False
        return True

    def observe(self, seed: Seed, run: Run) -> None:
        part = self._second if seed.number % 2 else self._first
        assert part is not None
        part.out -= 1
        part.strategy.observe(Seed(seed.number // 2, seed.plan), run)
        part.seconds += perf_counter() - self._taken

    # -- runs made elsewhere ------------------------------------------------------------------------------------------

    def grant_leases(self, parts: int) -> list[Lease]:
        if self._decisive().proved or self._first.ended:
            return []
        leases = self._mcr.grant_leases(parts)
        self._first.out += len(leases)
        return [Lease(2 * lease.number, lease.records) for lease in leases]

    def settle_lease(self, number: int, records: Iterable[JournalRecord] | None) -> None:
        self._first.out -= 1
        self._mcr.settle_lease(number // 2, records)

    def prune_from(self, number: int) -> bool:
        return self._mcr.prune_from(number)

    def has_own_work(self) -> bool:
        """Whether there are runs to make in this process while leases are out."""
        return self._turn() is self._second is not None

    def share_state(self, owner: Self) -> None:
        self._mcr.share_state(owner._mcr)

    # -- status -------------------------------------------------------------------------------------------------------

    def estimate(self) -> Estimate:
        return self._decisive().strategy.estimate()

    def summary(self) -> str:
        return self._decisive().strategy.summary()

    def incompleteness_reason(self) -> str:
        if self._decisive().proved:
            return ""
        ended = [part.strategy.incompleteness_reason() for part in self._parts() if part is self._first or part.ended]
        return "; ".join(dict.fromkeys(filter(None, ended)))

    def predictions(self) -> Predictions:
        return self._mcr.predictions()

    # -- journal ------------------------------------------------------------------------------------------------------

    def records(self) -> list[JournalRecord]:
        records = self._mcr.records()
        if self._second is not None:
            second = self._second.strategy.records()
            if any(record[0] == "reset" for record in records):  # makes records of the other void, too
                self._saves_second = False
            if self._saves_second:
                records += [(_SECOND + record[0], *record[1:]) for record in second]
        return records

    def restore(self, records: Iterable[JournalRecord]) -> None:
        first, second = list[JournalRecord](), list[JournalRecord]()
        for record in records:
            if record[0].startswith(_SECOND):
                second.append((record[0].removeprefix(_SECOND), *record[1:]))
            else:
                first.append(record)
        self._mcr.restore(first)
        if second:
            self._begin_second()
            assert self._second is not None
            self._second.strategy.restore(second)


def _se_mcr(settings: StrategySettings) -> Strategy:
    from mazurka.explore.se_mcr import SwitchEquivalence  # most searches come to an end without it

    return SwitchEquivalence(classes=settings.finals)


def _dpor(settings: StrategySettings) -> Strategy:
    from mazurka.explore.dpor import OptimalReduction

    return OptimalReduction(settings.timed)


def _states_kept(strategy: Strategy) -> int:
    from mazurka.explore.se_mcr import SwitchEquivalence

    return len(strategy.reachable.known) if isinstance(strategy, SwitchEquivalence) else 0
