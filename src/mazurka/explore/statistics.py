"""Statistics of runs: failures, and all reasons against a proof; a strategy's own knowledge is not among them.

Statistics of different processes can be added; the sum does not depend on where runs were made. For each failure the
execution with the least seed is kept.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import astuple, field, replace
from typing import Final

from mazurka.explore.outcome import FailingExecution, Predictions, Waits
from mazurka.lazy_dataclass import dataclass
from mazurka.program.memory import is_flusher
from mazurka.program.protocol import Failure, Run
from mazurka.properties.reached import Reached, all_joined, as_data, from_data
from mazurka.symbolic.values import PathCondition

#: Named as untracked: conditions are not kept in the journal.
FORGOTTEN: Final = "conditions on unknown inputs that were met before the search was interrupted"

#: Tests a finished run, and returns its failure, if any (an invariant, a user's check).
Postcondition = Callable[[Run], Failure | None]


@dataclass(slots=True)
class Statistics:
    """The statistics of a number of runs."""

    executions: int = 0
    found: dict[tuple[str, ...], FailingExecution] = field(default_factory=dict)
    threads: int = 0  # the most in one run
    points: int = 0  # the most in one run
    further: int = 0  # runs made to confirm races that had been predicted
    predicted: int = 0  # the races that they confirmed
    predictions: Predictions = field(default_factory=Predictions)  # by the strategy
    unasked: int = 0  # questions about races that were not asked since there were too many
    truncated: str = ""
    untracked: dict[str, int] = field(default_factory=dict)
    uncontrolled: dict[str, int] = field(default_factory=dict)
    assumed: set[str] = field(default_factory=set)  # the assumptions of runs
    reached: dict[str, Reached] = field(default_factory=dict)  # of properties, by name
    waits: Waits = field(default_factory=Waits)
    conditions: dict[PathCondition, None] = field(default_factory=dict)  # that runs have met
    asked: bool = False  # whether a run has asked for unknown inputs

    def look(self, run: Run, postcondition: Postcondition | None = None) -> list[Failure]:
        """Enter a run; returns its failures, if it followed its plan."""
        if run.untracked:
            _add(self.untracked, run.untracked)
        if run.uncontrolled:
            _add(self.uncontrolled, run.uncontrolled)
        if run.inputs:
            self.asked = True
        if run.conditions:
            self.conditions.update(dict.fromkeys(run.conditions))
        if run.assumed:
            self.assumed |= run.assumed
        if run.reached:
            self.reached = all_joined(self.reached, run.reached)
        if run.limited or run.slept or run.withheld:
            self.waits += Waits(
                run.shortest,
                run.slept,
                withheld=run.withheld,
                expired=run.expired > 0,
                nearest=run.nearest,
            )
        if run.truncated and not run.found_new_points:  # such a run may have been cut for what it has found
            self.truncated = self.truncated or run.truncated
        if len(run.tasks) > self.threads:
            threads = sum(not is_flusher(name) for name in run.tasks) - len(run.arrivals)
            self.threads = max(self.threads, threads)
        if run.divergence is not None:
            return []
        self.points = max(self.points, run.passed())
        if postcondition is not None and not run.truncated and not run.settled:
            verdict = postcondition(run)
            if verdict is not None:
                return [*run.failures, verdict]
        return run.failures

    def know(self, points: frozenset[int]) -> None:
        """Enter for the failures the sites that were known to need points before their runs."""
        self.found = {identity: replace(found, points=points) for identity, found in self.found.items()}

    def add(self, others: Statistics) -> tuple[FailingExecution, ...]:
        """Add the statistics of other processes; returns the new failures among them."""
        self.executions += others.executions
        self.threads = max(self.threads, others.threads)
        self.points = max(self.points, others.points)
        self.further += others.further
        self.predicted += others.predicted
        self.predictions += others.predictions
        self.unasked += others.unasked
        self.truncated = self.truncated or others.truncated
        self.waits += others.waits
        _add(self.untracked, others.untracked)
        _add(self.uncontrolled, others.uncontrolled)
        self.assumed |= others.assumed
        self.reached = all_joined(self.reached, others.reached)
        self.conditions.update(others.conditions)
        self.asked = self.asked or others.asked
        new = {identity: found for identity, found in others.found.items() if self._is_first(identity, found)}
        self.found.update(new)
        return tuple(new.values())

    def _is_first(self, identity: tuple[str, ...], found: FailingExecution) -> bool:
        return identity not in self.found or found.seed < self.found[identity].seed

    def doubts(self) -> str:
        """The reasons against a proof, as a text for :meth:`recall`."""
        waits = astuple(self.waits)
        counts = [self.truncated, self.untracked, self.uncontrolled, self.threads, self.points, waits]
        inputs = [bool(self.conditions), self.asked]
        return json.dumps([*counts, sorted(self.assumed), {n: as_data(r) for n, r in self.reached.items()}, *inputs])

    def recall(self, doubts: str) -> None:
        """Enter reasons against a proof from earlier runs of the same search."""
        if doubts:
            self.truncated, untracked, uncontrolled, self.threads, self.points, waits, assumed, had_of, *had = (
                json.loads(doubts)
            )
            self.reached = all_joined(self.reached, {name: from_data(each) for name, each in had_of.items()})
            if had and had[0]:
                self.untracked[FORGOTTEN] = 1
            self.asked = any(had)
            self.assumed |= set(assumed)
            self.waits += Waits(*waits)
            self.untracked.update(untracked)
            self.uncontrolled.update(uncontrolled)


def _add(totals: dict[str, int], counts: dict[str, int]) -> None:
    for name, count in counts.items():
        totals[name] = totals.get(name, 0) + count
