"""``auto``: ``mcr``, then ``dpor`` and ``se-mcr``, too; the first of them that ends without a doubt has covered all.

Which of them is faster can't be seen from a program. ``mcr`` executes the fewest orders, one for each combination of
writes that reads may see, but may take long to compute these. ``dpor`` executes one order of each trace, which are
more, and has little to compute: of uses of libraries that take ``mcr`` seconds most take ``dpor`` half the time.
``se-mcr`` distinguishes values only, which are few in a pool of connections, and many in a counter. So, as in
portfolios of solvers, all run, in turns, with shares of the time that follow from how often each was the first.

Each of them explores by itself and proves by itself; the runs of each count for the failures that they show. A
strategy that ends in doubt is left out from then on, the next one joins, and the others decide. A run that is cut, as
it goes round in loops for ever, is a doubt about its own strategy only. ``mcr`` may be in doubt if the locations that a
step accesses depend on values that other threads change (mcr.py), ``dpor`` where a timeout fires; ``se-mcr``, which
distinguishes values, by neither. ``se-mcr`` leaves out orders that show races: if races are to be found, only ``dpor``
may join, and begins only if ``mcr`` is in doubt.

If new scheduling points are found, the search begins again, with all strategies that have joined.

If other processes make runs (parallel/worker_pool.py), they make those of ``mcr``, and this process goes on with the
others.

Cost: none for the first two seconds, unless a search that was too long went before; then five thirds of the time of
``dpor``, or five halves of that of ``mcr``, if that is the first to end; twice, three or six times (``se-mcr``) once
all three go on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from math import inf
from time import perf_counter
from typing import Final, Self

from mazurka.causal.solvers import make_solver
from mazurka.explore.mcr import ReadsFromSearch
from mazurka.explore.outcome import Predictions
from mazurka.explore.strategy import Estimate, JournalRecord, Lease, Seed, Strategy, StrategySettings
from mazurka.lazy_dataclass import dataclass
from mazurka.program.protocol import Run
from mazurka.program.source_analysis import SourceAnalysis

#: Seconds of the search after which ``dpor`` joins, and ``se-mcr``.
_LEADS: Final = (2.0, 6.0)

#: ... if a search of the program has taken long before, without its end.
_LATE_LEADS: Final = (0.0, 6.0)

#: The shares of the time of each strategy, in this order, once they go on side by side.
_SHARES: Final = (2.0, 3.0, 1.0)

#: Seconds of a turn.
_TURN: Final = 0.1

#: States that ``se-mcr`` may keep, a few hundred bytes each, before it is left out.
_MOST_STATES: Final = 2_000_000

#: The prefixes of the kinds of the other strategies' records.
_PREFIXES: Final = ("", "second ", "third ")

#: The largest number of strategies: the remainder of a seed's number shows which one it is of.
_MOST_PARTS: Final = 3


@dataclass(slots=True)
class _Part:
    """One of the strategies, and its progress."""

    strategy: Strategy
    share: float = 1.0  # its share of the time
    seconds: float = 0.0  # the time that it has had, divided by its share
    out: int = 0  # seeds and leases that have not come back
    ended: bool = False  # it has nothing left to run, or was left out
    proved: bool = False  # it ended without a doubt


class Portfolio(Strategy):
    """The ``auto`` strategy. It begins with ``mcr``, and has one more strategy go on once the search has taken as many
    seconds as the next of ``leads``. The next of ``others`` is made when one more is to go on, or one has ended in
    doubt."""

    exhaustive = True
    needs_advance = True
    divisible = True

    @classmethod
    def make(cls, settings: StrategySettings, source: SourceAnalysis) -> Strategy:
        mcr = ReadsFromSearch(make_solver(settings.solver), source.uses_of, repeats=settings.races)
        if settings.races:
            return cls(mcr, [lambda: _dpor(settings)], leads=[inf])
        return cls(mcr, [lambda: _dpor(settings), lambda: _se_mcr(settings)], _LATE_LEADS if settings.late else None)

    def __init__(
        self, mcr: ReadsFromSearch, others: Sequence[Callable[[], Strategy]], leads: Sequence[float] | None = None
    ) -> None:
        self._mcr = mcr
        self._others = others
        self._first = _Part(mcr, _SHARES[0])
        self._parts = [self._first]
        self._leads = _LEADS if leads is None else leads
        self._begun = perf_counter()
        self._earlier: dict[int, Strategy] = {}  # by number: those of the search before, not yet replaced
        self._ready: tuple[_Part, Seed] | None = None
        self._taken = 0.0  # when the last seed was handed out
        self._saved = [True] * _MOST_PARTS
        self._cut: set[int] = set()  # the strategies whose runs may have been cut, by number

    @property
    def name(self) -> str:
        """The name of the strategy that decides, for reports."""
        return self._decisive().strategy.name

    def _decisive(self) -> _Part:
        """The strategy that has covered everything; until then, the first."""
        return next((part for part in self._parts if part.proved), self._first)

    # -- turns --------------------------------------------------------------------------------------------------------

    def _turn(self) -> _Part | None:
        """The strategy whose turn it is; None if none has seeds left."""
        if self._decisive().proved:
            return None
        while not self._mcr.is_worker and len(self._parts) <= len(self._others) and self._is_due():
            self._begin_another()
        able = [part for part in self._parts if not part.ended]
        if self._first.out and len(able) > (not self._first.ended):
            able = [part for part in able if part is not self._first]
        return min(able, key=lambda part: part.seconds, default=None)

    def _is_due(self) -> bool:
        """Whether another strategy is to begin."""
        seconds = perf_counter() - self._begun
        wanted = 1 + sum(seconds >= lead for lead in self._leads)
        return sum(not part.ended for part in self._parts) < wanted

    def _begin_another(self) -> None:
        going = [part.seconds for part in self._parts if not part.ended]
        make = self._others[len(self._parts) - 1]
        strategy = make()
        if (earlier := self._earlier.pop(len(self._parts), None)) is not None:
            strategy.begin_again(earlier)
        self._parts.append(_Part(strategy, _SHARES[len(self._parts)], min(going, default=0.0)))

    def begin_again(self, earlier: Self) -> None:
        self._begun = earlier._begun
        self._cut |= earlier._cut
        self._earlier = earlier._earlier | {at: part.strategy for at, part in enumerate(earlier._parts) if at}

    def foresee(self, run: Run) -> None:
        for strategy in (*(part.strategy for part in self._parts), *self._earlier.values()):
            strategy.foresee(run)

    def next_seed(self) -> Seed | None:
        self.advance(inf)
        if self._ready is None:
            return None
        (part, seed), self._ready = self._ready, None
        part.out += 1
        self._taken = perf_counter()
        return Seed(_MOST_PARTS * seed.number + self._parts.index(part), seed.plan)

    def advance(self, seconds: float) -> bool:
        end = perf_counter() + seconds
        while self._ready is None and (part := self._turn()) is not None:
            begun = perf_counter()
            decided = part.strategy.advance(min(_TURN, max(end - begun, 0.0)))
            seed = part.strategy.next_seed() if decided else None
            part.seconds += (perf_counter() - begun) / part.share
            if part is not self._first and _states_kept(part.strategy) > _MOST_STATES:
                part.ended = True
            elif seed is not None:
                self._ready = part, seed
            elif decided and part.out:
                break  # the remaining runs are under way
            elif decided:
                part.ended, part.proved = True, not part.strategy.incompleteness_reason()
            elif perf_counter() >= end:
                return False
        return True

    def observe(self, seed: Seed, run: Run) -> None:
        number, index = divmod(seed.number, _MOST_PARTS)
        part = self._parts[index]
        part.out -= 1
        if run.truncated:
            self._cut.add(index)
        part.strategy.observe(Seed(number, seed.plan), run)
        part.seconds += (perf_counter() - self._taken) / part.share

    # -- runs made elsewhere ------------------------------------------------------------------------------------------

    def grant_leases(self, parts: int) -> list[Lease]:
        if self._decisive().proved or self._first.ended:
            return []
        leases = self._mcr.grant_leases(parts)
        self._first.out += len(leases)
        return [Lease(_MOST_PARTS * lease.number, lease.records) for lease in leases]

    def settle_lease(self, number: int, records: Iterable[JournalRecord] | None) -> None:
        self._first.out -= 1
        self._mcr.settle_lease(number // _MOST_PARTS, records)

    def prune_from(self, number: int) -> bool:
        return self._mcr.prune_from(number)

    def has_own_work(self) -> bool:
        """Whether this process has runs to make while leases are out."""
        part = self._turn()
        return part is not None and part is not self._first

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
        ended = [part.strategy.incompleteness_reason() for part in self._parts if part is self._first or part.ended]
        return "; ".join(dict.fromkeys(filter(None, ended)))

    def proves_without_cut_runs(self) -> bool:
        decisive = self._decisive()  # only runs of the first one are made in other processes
        return decisive.proved and decisive is not self._first and self._parts.index(decisive) not in self._cut

    def predictions(self) -> Predictions:
        return self._mcr.predictions()

    # -- journal ------------------------------------------------------------------------------------------------------

    def records(self) -> list[JournalRecord]:
        records = self._mcr.records()
        if any(record[0] == "reset" for record in records):  # which makes records of the others void, too
            self._saved[1 : len(self._parts)] = [False] * (len(self._parts) - 1)
        for index, part in enumerate(self._parts[1:], 1):
            found = part.strategy.records()
            if self._saved[index]:
                records += [(_PREFIXES[index] + record[0], *record[1:]) for record in found]
        return records

    def restore(self, records: Iterable[JournalRecord]) -> None:
        found: list[list[JournalRecord]] = [[] for _ in _PREFIXES]
        for record in records:
            self._cut = set(range(_MOST_PARTS))  # the records do not say which runs were cut
            index = next((at for at, prefix in enumerate(_PREFIXES) if at and record[0].startswith(prefix)), 0)
            found[index].append((record[0].removeprefix(_PREFIXES[index]), *record[1:]))
        self._mcr.restore(found[0])
        for index, each in enumerate(found[1:], 1):
            if each and index <= len(self._others):
                while len(self._parts) <= index:
                    self._begin_another()
                self._parts[index].strategy.restore(each)


def _se_mcr(settings: StrategySettings) -> Strategy:
    from mazurka.explore.se_mcr import SwitchEquivalence  # most searches come to an end without it

    return SwitchEquivalence(classes=settings.finals)


def _dpor(settings: StrategySettings) -> Strategy:
    from mazurka.explore.dpor import OptimalReduction

    return OptimalReduction(settings.timed)


def _states_kept(strategy: Strategy) -> int:
    from mazurka.explore.se_mcr import SwitchEquivalence

    return len(strategy.reachable.known) if isinstance(strategy, SwitchEquivalence) else 0
