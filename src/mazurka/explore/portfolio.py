"""``auto``: ``mcr``; if that does not end soon, samplers, bounded search, ``dpor`` and ``se-mcr`` beside it.

The first systematic search that ends without a doubt has covered all. Which of them is faster can't be seen from a
program. ``mcr`` executes the fewest orders, one for each combination of writes that reads may see, but may take long to
compute these. ``dpor`` executes one order of each trace, which are more, and has little to compute: of uses of
libraries that take ``mcr`` seconds most take ``dpor`` half the time. ``se-mcr`` distinguishes values only, which are
few in a pool of connections, and many in a counter. So, as in portfolios of solvers, all run, in turns.

In a whole program none of them ends. Its bugs are mostly found by chance: of twelve bugs seeded in programs of 140 to
250 lines, with four or five threads, the first execution shows two, a hundred executions of samplers eleven, each of
the searches above nine or fewer in three seconds. ``icb-dpor`` finds eleven, and what it has covered at any time can be
said in a sentence. So the order is: ``mcr`` until it has made some executions and taken about a tenth of a second,
``dpor`` for eight of these, which is all that it takes where critical sections commute (sections.py) or threads are
alike (symmetry.py), about a hundred executions of samplers (mixed_sampling.py), then all in turns.

Shares. Samplers have a large one until they have made as many executions as there are threads times points, or taken
nine seconds, and ``icb-dpor`` until all orders with up to two preemptions are covered; then both have small ones, so
that a search of a minute that would end still ends.

Turns do not depend on time: the work of a strategy is the number of steps in its executions, times what a step costs
with this strategy, and the effort of its decisions (:meth:`~mazurka.explore.strategy.Strategy.effort`). So a search in
one process makes the same executions each time.

Each strategy explores by itself and proves by itself; the runs of each count for the failures that they show. A
strategy that ends in doubt is left out from then on, the next one joins, and the others decide. A run that is cut, as
it goes round in loops for ever, is a doubt about its own strategy only. ``mcr`` may be in doubt if the locations that a
step accesses depend on values that other threads change (mcr.py), ``dpor`` and ``icb-dpor`` where a timeout fires;
``se-mcr``, which distinguishes values, by neither. ``se-mcr`` leaves out orders that show races: if races are to be
found, of the searches only ``dpor`` may join, and begins only if ``mcr`` is in doubt.

If new scheduling points are found, the search begins again, with all strategies that have joined; samplers go on. What
they executed is not lost: the points that they found are known, and ``dpor`` is shown which of its operations may wait.

If other processes make runs (parallel/worker_pool.py), they make those of ``mcr``, and this process goes on with the
others.

Cost: none for programs that ``mcr`` is done with in a tenth of a second, unless a search that was too long went
before; otherwise about two seconds of samplers, half of the time until bounded search has reached its bound, and
a tenth from then on, beside five times the time of ``mcr``, if that is the first to end, 1.6 times that of ``dpor``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from math import inf
from time import perf_counter
from typing import Final, Self

from mazurka.causal.solvers import make_solver
from mazurka.explore.coverage import Coverage, OrderedPairs
from mazurka.explore.mcr import ReadsFromSearch
from mazurka.explore.outcome import Predictions
from mazurka.explore.strategy import Estimate, JournalRecord, Lease, Seed, Strategy, StrategySettings
from mazurka.lazy_dataclass import dataclass
from mazurka.program.protocol import Run
from mazurka.program.source_analysis import SourceAnalysis

#: Seconds of one process for a unit of work, about: a step of an execution without a strategy.
_UNIT: Final = 22e-6

#: What an object costs that only one thread touches, in units: 2 microseconds with its accesses.
_PRIVATE: Final = 0.1

#: What a step of an execution costs with each strategy, in units (medians of five services: execution_cost.py).
_COSTS: Final = {"mcr": 3.3, "se-mcr": 6.0, "dpor": 1.5, "icb-dpor": 1.5, "samplers": 1.2}

#: The executions, and the work, after which samplers join.
_ALONE: Final = (5, 4_000.0)

#: Executions that ``dpor`` makes in a row then, and samplers after these, and the most work for each.
_FIRST_TRIES: Final = (1_000, 36_000.0)
_OPENING: Final = (100, 60_000.0)

#: The work after which ``dpor`` joins, and ``se-mcr``: a tenth of a second, and six.
_LEADS: Final = (4_000.0, 270_000.0)

#: ... and ``dpor`` if something is untracked: then no search proves anything, and ``mcr`` goes on for a second first.
_UNTRACKED_LEAD: Final = 50_000.0

#: ... if a search of the program has taken long before, without its end, or if it runs event loops: each timer and
#: each result of a thread conflicts with the loop, so that `mcr` has more orders to tell apart than there are traces.
_LATE_LEADS: Final = (0.0, 270_000.0)

#: The work of samplers up to which they may have a large share, and the bound of ``icb-dpor``.
_SAMPLED: Final = 400_000.0
_BOUND: Final = 2

#: The shares of the work, and those of samplers and ``icb-dpor`` from then on.
_SHARES: Final = {"mcr": 1.0, "dpor": 3.5, "se-mcr": 0.5, "samplers": 2.0, "icb-dpor": 8.0}
_SMALL: Final = 0.25

#: States that ``se-mcr`` may keep, and places ``icb-dpor``, some hundred bytes each, before it is left out.
_MOST_STATES: Final = 2_000_000
_MOST_PLACES: Final = 1_000_000

#: Points of an execution from which on ``icb-dpor`` is left out: comparing all of them would take seconds.
_MOST_POINTS: Final = 5_000

#: By strategy: the prefixes of the kinds of its records. A seed's number modulo their number is its strategy's.
_PREFIXES: Final = ("", "second ", "third ", "sampled ", "bounded ")
_PARTS: Final = len(_PREFIXES)
_SAMPLING: Final = 3
_BOUNDED: Final = 4


@dataclass(slots=True)
class _Part:
    """One of the strategies, and its progress."""

    number: int
    strategy: Strategy
    work: float = 0.0
    turn: float = 0.0  # its work, divided by its share
    effort: int = 0  # that of its decisions when they were last looked at
    runs: int = 0
    out: int = 0  # seeds and leases that have not come back
    ended: bool = False  # it has nothing left to run, or was left out
    proved: bool = False  # it ended without a doubt


class Portfolio(Strategy):
    """The ``auto`` strategy. It begins with ``mcr``, and has one more systematic search go on once the work has become
    as much as the next of ``leads``. The next of ``others`` is made when one more is to go on, or one has ended in
    doubt. ``samplers`` and ``bounded`` make those that join beside them."""

    exhaustive = True
    needs_advance = True
    divisible = True

    @classmethod
    def make(cls, settings: StrategySettings, source: SourceAnalysis) -> Strategy:
        mcr = ReadsFromSearch(make_solver(settings.solver), source.uses_of, repeats=settings.races)
        samplers = lambda: _samplers(settings)  # noqa: E731
        bounded = lambda: _bounded(settings)  # noqa: E731
        if settings.races:
            return cls(mcr, [lambda: _dpor(settings)], leads=[inf], samplers=samplers)
        others = [lambda: _dpor(settings), lambda: _se_mcr(settings)]
        leads = _LATE_LEADS if settings.late else None
        return cls(mcr, others, leads, samplers=samplers, bounded=bounded, bound=settings.bound)

    def __init__(
        self,
        mcr: ReadsFromSearch,
        others: Sequence[Callable[[], Strategy]],
        leads: Sequence[float] | None = None,
        *,
        samplers: Callable[[], Strategy] | None = None,
        bounded: Callable[[], Strategy] | None = None,
        bound: int | None = None,
    ) -> None:
        self._mcr = mcr
        self._others = others
        self._first = _Part(0, mcr)
        self._parts = {0: self._first}  # by number
        self._makers = {_SAMPLING: samplers, _BOUNDED: bounded}
        self._leads = _LEADS if leads is None else leads
        self._bound = max(bound or 0, _BOUND)
        self._before = 0.0  # the work of searches before this one
        self._elsewhere = 0.0  # that of other processes
        self._granted: dict[int, float] = {}  # by lease: when it was granted
        self._points = 0  # the most in one execution
        self._earlier: dict[int, Strategy] = {}  # by number: those of the search before, not yet replaced
        self._ready: tuple[_Part, Seed] | None = None
        self._pairs = OrderedPairs()
        self._saved = [True] * _PARTS
        self._cut: set[int] = set()  # the strategies whose runs may have been cut, by number
        self._is_tracked = True  # no operation was untracked

    @property
    def name(self) -> str:
        """The name of the strategy that decides, for reports."""
        return self._decisive().strategy.name

    def _decisive(self) -> _Part:
        """The strategy that has covered everything; until then, the first."""
        return next((part for part in self._parts.values() if part.proved), self._first)

    # -- turns --------------------------------------------------------------------------------------------------------

    def _work(self) -> float:
        """All work so far."""
        return self._before + self._elsewhere + sum([part.work for part in self._parts.values()])

    def _turn(self) -> _Part | None:
        """The strategy whose turn it is; None if none has seeds left."""
        if self._decisive().proved:
            return None
        if not self._mcr.is_worker:
            self._join()
        able = [part for part in self._parts.values() if not part.ended]
        if self._first.out and len(able) > (not self._first.ended):
            able = [part for part in able if part is not self._first]
        if not self._first.out and all(part.ended for part in self._searches()):
            return None  # it is not worth while to go on with those beside them alone
        if any(part.number == 1 and self._is_opening(part) for part in able):
            return self._parts[1]
        if (samplers := self._parts.get(_SAMPLING)) is not None and self._is_opening(samplers):
            return samplers
        return min(able, key=lambda part: part.turn, default=None)

    @staticmethod
    def _is_opening(part: _Part) -> bool:
        """Whether a strategy is to go on by itself, after the first one."""
        executions, work = _OPENING if part.number == _SAMPLING else _FIRST_TRIES
        return part.runs < executions and part.work < work

    def _join(self) -> None:
        """Have more strategies begin, if they are due."""
        while len(self._searches()) <= len(self._others) and self._is_due():
            self._begin(len(self._searches()))
        executions, work = _ALONE
        if _SAMPLING not in self._parts:
            if self._granted or (self._work() >= work and self._first.runs >= executions):
                self._begin(_SAMPLING)
        elif _BOUNDED not in self._parts and not self._is_opening(self._parts[_SAMPLING]):
            self._begin(_BOUNDED)

    def _searches(self) -> list[_Part]:
        """The systematic searches that have begun."""
        return [part for number, part in self._parts.items() if number < _SAMPLING]

    def _is_due(self) -> bool:
        """Whether another systematic search is to begin."""
        work = self._work()
        least = 0.0 if self._is_tracked else _UNTRACKED_LEAD
        wanted = 1 + sum(work >= max(lead, least) for lead in self._leads)
        return sum(not part.ended for part in self._searches()) < wanted

    def _begin(self, number: int) -> None:
        make = self._others[number - 1] if number < _SAMPLING else self._makers[number]
        if make is None or (number == _BOUNDED and self._points > _MOST_POINTS):
            return
        strategy = self._earlier.get(number) if number == _SAMPLING else None
        if strategy is None:
            strategy = make()
            if (earlier := self._earlier.pop(number, None)) is not None:
                strategy.begin_again(earlier)
        going = [part.turn for part in self._parts.values() if not part.ended]
        self._parts[number] = _Part(number, strategy, turn=min(going, default=0.0))

    def begin_again(self, earlier: Self) -> None:
        self._before = earlier._work()
        self._elsewhere = 0.0
        self._cut |= earlier._cut
        self._is_tracked = earlier._is_tracked
        self._pairs = earlier._pairs
        self._points = earlier._points
        self._earlier = earlier._earlier | {at: part.strategy for at, part in earlier._parts.items() if at}
        if (samplers := earlier._parts.get(_SAMPLING)) is not None:
            self._parts[_SAMPLING] = replace(samplers, out=0, turn=0.0)
            self._before -= samplers.work

    def foresee(self, run: Run) -> None:
        for strategy in (*(part.strategy for part in self._parts.values()), *self._earlier.values()):
            strategy.foresee(run)

    def _share(self, part: _Part) -> float:
        if part.number == _SAMPLING and self._has_sampled(part):
            return _SMALL
        if part.number == _BOUNDED and self._has_bound(part):
            return _SMALL
        return _SHARES.get(part.strategy.name, 1.0)

    @staticmethod
    def _has_sampled(part: _Part) -> bool:
        """Whether samplers have made as many executions as there are threads times points: by so many of ``pct`` a bug
        of depth 2 is found more likely than not."""
        sampled = part.strategy.coverage().sampled
        enough = sampled is not None and sampled.executions >= sampled.threads * sampled.points
        return enough or part.work >= _SAMPLED

    def _has_bound(self, part: _Part) -> bool:
        covered = part.strategy.coverage().bounded
        return covered is None or covered.preemptions >= self._bound

    def _charge(self, part: _Part, work: float) -> None:
        """Enter work of a strategy."""
        effort = part.strategy.effort()
        work += max(effort - part.effort, 0)
        part.effort = effort
        part.work += work
        part.turn += work / self._share(part)

    def next_seed(self) -> Seed | None:
        self.advance(inf)
        if self._ready is None:
            return None
        (part, seed), self._ready = self._ready, None
        part.out += 1
        return Seed(_PARTS * seed.number + part.number, seed.plan)

    def advance(self, seconds: float) -> bool:
        end = perf_counter() + seconds
        while self._ready is None and (part := self._turn()) is not None:
            decided = part.strategy.advance(0.0)
            seed = part.strategy.next_seed() if decided else None
            self._charge(part, 0 if decided else 1)
            if part is not self._first and _is_too_large(part.strategy):
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
        number, index = divmod(seed.number, _PARTS)
        part = self._parts[index]
        part.out -= 1
        part.runs += 1
        self._is_tracked = self._is_tracked and not run.untracked
        if run.has_loops and self._first.runs > 1 and self._leads is _LEADS:  # there is more than one order
            self._leads = _LATE_LEADS
        if run.truncated:
            self._cut.add(index)
        if index >= _SAMPLING:
            self._pairs.look(run)
        if index == _SAMPLING and self._is_opening(part):
            self._show(run)
        self._points = max(self._points, len(run.choices))
        part.strategy.observe(Seed(number, seed.plan), run)
        self._charge(part, (len(run.entries()) + run.private * _PRIVATE) * _COSTS.get(part.strategy.name, 1.0))

    def _show(self, run: Run) -> None:
        """Show a run of samplers the search that joins next."""
        if 1 not in self._parts and self._others:
            if 1 not in self._earlier:
                self._earlier[1] = self._others[0]()
            self._earlier[1].foresee(run)

    # -- runs made elsewhere ------------------------------------------------------------------------------------------

    def grant_leases(self, parts: int) -> list[Lease]:
        if self._decisive().proved or self._first.ended:
            return []
        leases = self._mcr.grant_leases(parts)
        self._first.out += len(leases)
        self._granted |= dict.fromkeys([lease.number for lease in leases], perf_counter())
        return [Lease(_PARTS * lease.number, lease.records) for lease in leases]

    def settle_lease(self, number: int, records: Iterable[JournalRecord] | None) -> None:
        self._first.out -= 1
        self._elsewhere += (perf_counter() - self._granted.pop(number // _PARTS)) / _UNIT
        self._mcr.settle_lease(number // _PARTS, records)

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
        ended = [
            part.strategy.incompleteness_reason()
            for part in self._parts.values()
            if part is self._first or (part.ended and part.number != _SAMPLING)
        ]
        return "; ".join(dict.fromkeys(filter(None, ended)))

    def proves_without_cut_runs(self) -> bool:
        decisive = self._decisive()  # only runs of the first one are made in other processes
        return decisive.proved and decisive is not self._first and decisive.number not in self._cut

    def coverage(self) -> Coverage:
        found = self._pairs.coverage()
        if (bounded := self._parts.get(_BOUNDED)) is not None:
            of_bounded = bounded.strategy.coverage()
            found = replace(found, bounded=of_bounded.bounded, causes=of_bounded.causes)
        if (samplers := self._parts.get(_SAMPLING)) is not None:
            found = replace(found, sampled=samplers.strategy.coverage().sampled)
        return found

    def predictions(self) -> Predictions:
        return self._mcr.predictions()

    # -- journal ------------------------------------------------------------------------------------------------------

    def records(self) -> list[JournalRecord]:
        records = self._mcr.records()
        if any(record[0] == "reset" for record in records):  # which makes records of the others void, too
            self._saved = [number in (0, _SAMPLING) or number not in self._parts for number in range(_PARTS)]
        for index, part in self._parts.items():
            found = part.strategy.records() if index else ()
            if self._saved[index]:
                records += [(_PREFIXES[index] + record[0], *record[1:]) for record in found]
        return records

    def restore(self, records: Iterable[JournalRecord]) -> None:
        found: list[list[JournalRecord]] = [[] for _ in _PREFIXES]
        for record in records:
            self._cut = set(range(_PARTS))  # the records do not say which runs were cut
            index = next((at for at, prefix in enumerate(_PREFIXES) if at and record[0].startswith(prefix)), 0)
            found[index].append((record[0].removeprefix(_PREFIXES[index]), *record[1:]))
        self._mcr.restore(found[0])
        for index, each in enumerate(found[1:], 1):
            if each and (index >= _SAMPLING or index <= len(self._others)):
                for number in range(1, index + 1) if index < _SAMPLING else (index,):
                    if number not in self._parts:
                        self._begin(number)
                if index in self._parts:
                    self._parts[index].strategy.restore(each)


def _se_mcr(settings: StrategySettings) -> Strategy:
    from mazurka.explore.se_mcr import SwitchEquivalence  # most searches come to an end without it

    return SwitchEquivalence(classes=settings.finals)


def _dpor(settings: StrategySettings) -> Strategy:
    from mazurka.explore.dpor import OptimalReduction

    return OptimalReduction(settings.timed, finals=settings.finals, races=settings.races)


def _bounded(settings: StrategySettings) -> Strategy:
    from mazurka.explore.bounded_dpor import BoundedReduction

    return BoundedReduction(settings.finals, settings.races or settings.timed or settings.ordered)


def _samplers(settings: StrategySettings) -> Strategy:
    from mazurka.explore.mixed_sampling import MixedSampling

    return MixedSampling(settings.seed)


def _is_too_large(strategy: Strategy) -> bool:
    """Whether a strategy keeps more than it may."""
    from mazurka.explore.bounded_dpor import BoundedReduction
    from mazurka.explore.se_mcr import SwitchEquivalence

    match strategy:
        case SwitchEquivalence():
            return len(strategy.reachable.known) > _MOST_STATES
        case BoundedReduction():
            return strategy.places > _MOST_PLACES
    return False
