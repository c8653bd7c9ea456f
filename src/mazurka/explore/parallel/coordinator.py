"""Distributes a strategy's work to a pool: leases go out as work items, and are settled with their results.

The coordinator knows all work under way, so none is lost with a worker: a lease without a result is settled as not
done. Work items given before a search began again count for their observations only.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from mazurka.explore.batch import Batch, BatchLimits, WorkItem
from mazurka.explore.parallel.worker_pool import WorkerPool
from mazurka.explore.strategy import Lease, Strategy, StrategySettings
from mazurka.lazy_dataclass import dataclass

#: Seconds of a batch: at first, and at most. Batches are short, too, while a worker is idle.
_SHORT: Final = 0.02
_LONG: Final = 1.0

#: Seconds to wait for results before returning none.
WAIT: Final = 0.1

#: If more work items than this get lost, the program should not be run in other processes.
_BAD_LUCK: Final = 10


@dataclass(frozen=True, slots=True)
class _Given:
    """A work item under way, and the strategy and lease that it belongs to."""

    item: WorkItem
    lease: Lease
    strategy: Strategy


class Coordinator:
    """Distributes the work of strategies of one kind. ``learned`` are the sites known to need points."""

    def __init__(self, pool: WorkerPool, name: str, settings: StrategySettings, learned: set[int]) -> None:
        self._pool = pool
        self._name = name
        self._settings = settings
        self._learned = learned
        self._given: dict[int, _Given] = {}
        self._number = 0
        self._seconds = _SHORT
        self.losses = 0

    @property
    def unlucky(self) -> bool:
        """Whether so many work items were lost that the search should go on in this process alone."""
        return self.losses > _BAD_LUCK

    def hand_out(self, strategy: Strategy, terms: BatchLimits) -> bool:
        """Give work to all idle workers, within these limits altogether; returns whether any is under way."""
        left = None if terms.executions is None else terms.executions - self.allowed
        idle = self._pool.size - len(self._given)
        leases = strategy.grant_leases(idle if left is None else min(idle, left)) if idle and left != 0 else []
        busy = len(self._given) + len(leases) == self._pool.size
        self._seconds = min(2 * self._seconds, _LONG) if busy else _SHORT
        share = None if left is None else max(1, left // self._pool.size)
        for lease in leases:
            agreed = replace(terms, executions=share, seconds=min(terms.seconds, self._seconds))
            item = WorkItem(self._name, self._settings, lease.records, agreed, frozenset(self._learned), strategy)
            self._given[self._number] = _Given(item, lease, strategy)
            self._pool.start(self._number, item)
            self._number += 1
        return bool(self._given)

    @property
    def allowed(self) -> int:
        """How many runs the work items under way may make."""
        return sum(given.item.terms.executions or 0 for given in self._given.values())

    @property
    def busy(self) -> bool:
        """Whether any work item is with the pool."""
        return bool(self._given)

    def collect(self, strategy: Strategy, seconds: float = WAIT) -> Iterator[Batch]:
        """The batches of finished work items; only those of ``strategy`` are settled, until it has to begin again."""
        void = False
        for number, report in self._pool.finished(seconds):
            given = self._given.pop(number)
            if report is None:
                self.losses += 1
            counts = given.strategy is strategy and not void
            if report is not None:
                report.batch.statistics.know(given.item.points)
                news = not report.points <= self._learned  # also if its search has begun again since
                report.batch.found_new_points = news or (report.batch.found_new_points and counts)
                self._learned |= report.points
                void = void or (report.batch.found_new_points and strategy.exhaustive)
            if counts and not void:
                given.strategy.settle_lease(given.lease.number, None if report is None else report.records)
            if report is not None:
                yield report.batch

    def dismiss(self, current: Strategy) -> None:
        """Drop all work under way."""
        self._pool.close()
        for given in self._given.values():
            if given.strategy is current:
                given.strategy.settle_lease(given.lease.number, None)
        self._given.clear()
