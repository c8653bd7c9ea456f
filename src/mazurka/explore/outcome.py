"""What an exploration came to, as a sum type: a bug, a proof with its scope, or neither with the reason."""

from __future__ import annotations

from dataclasses import dataclass, field

from mazurka.program.protocol import Failure


@dataclass(frozen=True, slots=True)
class Found:
    """A failure, and the schedule (thread names, one per point) that leads to it."""

    failure: Failure
    schedule: tuple[str, ...]
    execution: int  # the number of the run it was first seen in, from 1
    seed: int = 0  # its strategy's number for that run, if that means something to everybody
    points: frozenset[int] = frozenset()  # the sites known to need points before that run


@dataclass(frozen=True, slots=True)
class Predictions:
    """Failures and races that runs were predicted to have before they were made.

    ``predicted`` counts the runs made for one, ``confirmed`` those that had it; ``ahead`` how many executions waiting
    longer the first failure of a hastened one was ahead of.
    """

    predicted: int = 0
    confirmed: int = 0
    ahead: int = 0

    def __add__(self, other: Predictions) -> Predictions:
        return Predictions(self.predicted + other.predicted, self.confirmed + other.confirmed, self.ahead + other.ahead)

    def __sub__(self, other: Predictions) -> Predictions:
        return Predictions(self.predicted - other.predicted, self.confirmed - other.confirmed, self.ahead - other.ahead)


@dataclass(frozen=True, slots=True)
class Violation:
    """There is a bug: at least one."""

    first: Found


@dataclass(frozen=True, slots=True)
class Verified:
    """Every run has been covered, in the sense that ``scope`` states."""

    scope: str


@dataclass(frozen=True, slots=True)
class Inconclusive:
    """No bug was seen, and that proves nothing."""

    reason: str


Verdict = Violation | Verified | Inconclusive


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result of an exploration.

    ``complete`` says that an exhaustive strategy ran out of things to run, whatever it found on the way. ``restarts``
    counts how often the search began again because a run met a shared location at a place in the source not known to
    need points.
    """

    verdict: Verdict
    strategy: str
    executions: int
    seconds: float
    complete: bool
    found: tuple[Found, ...] = ()
    restarts: int = 0
    threads: int = 0  # the most in one run
    points: int = 0  # the most in one run
    untracked: dict[str, int] = field(default_factory=dict)
    uncontrolled: dict[str, int] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    predictions: Predictions = Predictions()
