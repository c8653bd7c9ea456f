"""The result of an exploration, as a sum type: a bug, a proof with its scope, or neither with the reason."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Final

from mazurka.explore.coverage import Coverage
from mazurka.lazy_dataclass import dataclass
from mazurka.program.protocol import Failure
from mazurka.properties.reached import Reached
from mazurka.symbolic.values import PathCondition


@dataclass(frozen=True, slots=True)
class FailingExecution:
    """A failure, and the schedule (thread names, one per point) that leads to it."""

    failure: Failure
    schedule: tuple[str, ...]
    execution: int = 0  # the number of the run in which it was first seen, from 1; 0: an earlier check saved it
    seed: int = 0  # the strategy's number for that run, if it is the same in all processes
    points: frozenset[int] = frozenset()  # the sites known to need points before that run
    timing: float | None = None  # the timing of the run's plan
    inputs: tuple[tuple[str, int], ...] = ()  # the unknown inputs of the run, and their values


@dataclass(frozen=True, slots=True)
class Waits:
    """The sleeps and waits with time limits in the runs.

    ``shortest`` is the shortest limit (infinite: there are none), ``slept`` the latest end of a sleep. For failures
    that were seen and do not count, ``lag`` is the least time for which other threads have to be held up, and ``late``
    the message of that failure. ``withheld``: a plan's timing kept some sleeps and waits from ending. ``expired``: some
    timeouts fired. ``nearest`` is the least time by which other threads would have to be held up for a further wait to
    time out.
    """

    shortest: float = float("inf")
    slept: float = 0.0
    lag: float = float("inf")
    late: str = ""
    withheld: bool = False
    expired: bool = False
    nearest: float = float("inf")

    def __add__(self, other: Waits) -> Waits:
        nearer = min(self, other, key=lambda each: each.lag)
        return Waits(
            min(self.shortest, other.shortest),
            max(self.slept, other.slept),
            nearer.lag,
            nearer.late,
            self.withheld or other.withheld,
            self.expired or other.expired,
            min(self.nearest, other.nearest),
        )


@dataclass(frozen=True, slots=True)
class Predictions:
    """Failures and races that runs were predicted to have before they were made.

    ``predicted`` counts the runs made for a prediction, ``confirmed`` those that showed it; ``ahead`` is the number of
    earlier queued executions that the first of these with a failure overtook.
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
    """There is at least one bug."""

    first: FailingExecution


@dataclass(frozen=True, slots=True)
class Verified:
    """Every execution has been covered, in the sense of ``scope``."""

    scope: str


@dataclass(frozen=True, slots=True)
class Inconclusive:
    """No bug was seen, which is no proof; ``reason`` says why."""

    reason: str


Verdict = Violation | Verified | Inconclusive


#: The beginning of a note on a violation: the search came to its end, but can't have found all failures.
MORE_FAILURES: Final = "there may be more failures: "


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result of an exploration.

    ``complete`` says that an exhaustive strategy ran out of seeds, with or without failures. ``restarts``
    counts how often the search began again because a run met a shared location at a place in the source not known to
    need points.
    """

    verdict: Verdict
    strategy: str
    executions: int
    seconds: float
    complete: bool
    found: tuple[FailingExecution, ...] = ()
    restarts: int = 0
    threads: int = 0  # the most in one run
    points: int = 0  # the most in one run
    untracked: dict[str, int] = field(default_factory=dict)
    uncontrolled: dict[str, int] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    predictions: Predictions = Predictions()
    waits: Waits = Waits()
    exhaustive: bool = True  # whether the strategy is
    assumed: tuple[str, ...] = ()  # if verified: the assumptions of the executions, in words
    assuming: str = ""  # if verified: the assumption under which orders were left out, in words
    early: str = ""  # if verified: the assumption about timeouts and sleeps
    conditions: tuple[PathCondition, ...] = ()  # on unknown inputs, that executions have met
    asked: bool = False  # whether executions have asked for unknown inputs
    paths: int | None = None  # if the search has covered all inputs: on how many paths
    coverage: Coverage = Coverage()  # of a search that did not end, if its operations were all tracked and controlled
    inputs: int = 0  # the classes of unknown inputs that were searched; 0: there are no such inputs
    reached: Mapping[str, Reached] = field(default_factory=dict)  # of properties that executions were held to, by name
    timely: bool = True  # if verified, and without such an assumption: timeouts may fire at any time
