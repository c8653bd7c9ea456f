"""Data races that a run only implies: predicted from its causal model, executed, and reported if they happen.

After each run the race predictor (predict/races.py) looks for races at pairs of source lines without a known race. Its
predictions are executed: the order that leads both threads to their accesses, then the one, then the other, as adjacent
choices. A race counts only if that run shows it (trace/conflicts.py), so every reported race has happened.

Complete with a strategy that runs every reads-from class or more: then each state in which two threads stand before
their accesses is one of the model of some run. A strategy that runs fewer orders (``se-mcr``) may miss races.

The runs made for this are no executions of the strategy, which does not learn from them; their other observations, such
as failures, count.

Cost: that of predict/races.py for each run, and one run for each pair of lines that race.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import field
from typing import Final

from mazurka.lazy_dataclass import dataclass
from mazurka.predict.predictor import PredictedBug
from mazurka.predict.races import RacePredictor
from mazurka.program.protocol import Failure, FailureKind, Plan, Program, Run
from mazurka.trace.conflicts import Sites
from mazurka.trace.ids import SiteNumber
from mazurka.trace.trace import Trace, trace_of
from mazurka.witness.witness import Races

#: How often a race is predicted although its run did not show it: a model has only the tracked operations of a program.
_ATTEMPTS: Final = 3

Identity = tuple[str, ...]


@dataclass(slots=True)
class RaceConfirmer:
    """Predicts races from runs of ``program``. ``known`` are the identities of failures found; it is added to."""

    program: Program
    known: set[Identity]
    unasked: int = 0  # questions not asked since there were too many
    failed: Counter[Identity] = field(default_factory=Counter)  # predictions that the run did not show

    def confirm(self, run: Run) -> Iterator[tuple[Run, bool]]:
        """The runs made for races that ``run`` implies, and whether they showed them. The caller stops at one with new
        points."""
        if run.divergence is not None or run.truncated:
            return
        trace = trace_of(run.tasks, run.log)
        predictor = RacePredictor(self._is_known)
        for prediction in predictor.predict(trace):
            confirming = self.program.execute(Plan(_way(run, trace, prediction), inputs=run.inputs))
            one, other = (SiteNumber(trace.site[row]) for row in prediction.rows)
            identity = self._identity((one, other))
            found = any(failure.identity == identity for failure in confirming.failures)
            if found:
                self.known.add(identity)
            else:
                self.failed[identity] += 1
            yield confirming, found
        self.unasked += predictor.unasked

    def _is_known(self, sites: Sites) -> bool:
        identity = self._identity(sites)
        return identity in self.known or self.failed[identity] >= _ATTEMPTS

    def _identity(self, sites: Sites) -> Identity:
        one, other = map(self.program.location, sites)
        return Failure(FailureKind.RACE, "", "", one, against=other).identity


def _way(run: Run, trace: Trace, prediction: PredictedBug) -> tuple[str, ...]:
    """The schedule that ends with a predicted race."""
    claim = prediction.witness.claim
    assert isinstance(claim, Races)
    steps = (*prediction.witness.order, claim.first, claim.second)
    return tuple([run.tasks[run.log[step].task] for step in steps if run.log[step].point])
