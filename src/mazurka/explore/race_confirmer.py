"""Data races that a run only implies: predicted from its causal model, executed, and reported if they happen.

After each run the race predictor (predict/races.py) is asked for pairs of source lines of which no race is known. Its
predictions are executed: the order that leads both threads to their accesses, then the one, then the other, as adjacent
choices. Only if that run shows the race (program/races.py) it counts; so every reported race has happened.

Complete with a strategy that runs every reads-from class or more: then each state in which two threads stand before
their accesses is one of the model of some run. A strategy that runs fewer orders (``se-mcr``) may miss races.

The runs made for this are no executions of the strategy, which does not learn from them; their other observations, like
a failure, counts.

Cost: predict/races.py's per run, and one run per pair of lines that race.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from mazurka.predict.predictor import PredictedBug
from mazurka.predict.races import RacePredictor
from mazurka.program.protocol import Failure, FailureKind, Plan, Program, Run
from mazurka.trace.conflicts import Sites
from mazurka.trace.ids import SiteNumber
from mazurka.trace.trace import Trace, trace_of
from mazurka.witness.witness import Races

#: How often a race is predicted although the run did not show it. Models know of a program what was tracked.
_ATTEMPTS: Final = 3

Identity = tuple[str, ...]


@dataclass(slots=True)
class RaceConfirmer:
    """Predicts races from runs of ``program``. ``known`` are the identities of failures found; it is added to."""

    program: Program
    known: set[Identity]
    unasked: int = 0  # questions not put since there were too many
    failed: Counter[Identity] = field(default_factory=Counter)  # predicted, but the run showed something else

    def confirm(self, run: Run) -> Iterator[tuple[Run, bool]]:
        """The runs that confirm what ``run`` implies, and whether they showed it. Stop at one that met new points."""
        if run.divergence is not None or run.truncated:
            return
        trace = trace_of(run.tasks, run.log)
        predictor = RacePredictor(self._is_known)
        for prediction in predictor.predict(trace):
            confirming = self.program.execute(Plan(_way(run, trace, prediction)))
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
    """The schedule that a predicted race is the end of."""
    claim = prediction.witness.claim
    assert isinstance(claim, Races)
    steps = (*prediction.witness.order, claim.first, claim.second)
    return tuple([run.tasks[run.log[step].task] for step in steps if run.log[step].point])
