"""Chooses executions that are made before their turn, and keeps the results of that (for mcr.py).

There are three reasons, the strongest first: a check of the program is predicted to fail (explore/guidance/checks.py);
the execution leads towards such a failure (goals.py there); a place reads another's write for the first time
(novelty.py), or a test is predicted to have a new outcome. Executions with the same kind of reason are made in the
order in which they were found.

This only decides the order. A failure counts when a run shows it, and no execution is postponed for ever, since each
reason holds for a bounded number of executions.

Reasons of the first two kinds need the values that runs read and wrote. Recording them makes a run half as long again,
so it is done only in runs that are made for a reason, and in the first :data:`_RECORDING`.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterator, Sequence
from enum import IntEnum
from typing import Any, Final

from mazurka.causal.history import History
from mazurka.explore.guidance.checks import ObservedValues, PredictedChecks
from mazurka.explore.guidance.goals import Goals
from mazurka.explore.guidance.novelty import CoverageHeuristic
from mazurka.explore.outcome import Predictions
from mazurka.explore.reads_from.feasibility import CandidateSchedule
from mazurka.explore.reads_from.tree import Branch
from mazurka.lazy_dataclass import dataclass
from mazurka.program.conditions import Check, UsesOf
from mazurka.program.protocol import Run

#: The number of first runs that record their values.
_RECORDING: Final = 50


class Rank(IntEnum):
    """The kind of an execution's reason, the strongest first."""

    FAILS = 0  # a check is predicted to fail
    LEADS = 1  # the execution leads towards the failure of a check
    NEW = 2  # a place reads another's write for the first time, or a test has a new outcome


@dataclass(frozen=True, slots=True)
class Reason:
    """The reason to make an execution before its turn: the run that predicted it, numbered from 1, and the check."""

    rank: Rank
    predicted_by: int
    check: Check | None = None


@dataclass(frozen=True, slots=True)
class Foretold:
    """The first failure of an execution made before its turn: the runs that predicted and showed it, numbered from 1,
    and the number of executions that would have had their turn before."""

    predicted_by: int
    confirmed_by: int
    ahead: int


@dataclass(frozen=True, slots=True)
class View:
    """A run as the basis of predictions; ``observed`` and ``goals`` are set if it recorded values."""

    log: Sequence[Any]  # as :meth:`.Run.entries` has it
    number: int
    observed: ObservedValues | None = None
    goals: Goals | None = None


class SearchGuidance:
    """Branches that wait to be executed before their turn, and the reasons of those under way."""

    def __init__(self, find: UsesOf | None) -> None:
        self.find = find
        self.predicted = 0  # runs made because a check was predicted to fail in them
        self.confirmed = 0  # runs in which it failed
        self.foretold: Foretold | None = None
        self.clear()

    def clear(self) -> None:
        """Forget queued branches, as the search begins again."""
        self.novelty = CoverageHeuristic()
        self.checks = None if self.find is None else PredictedChecks(self.find)
        self.aims: Counter[Check] = Counter()
        self.queues: tuple[deque[tuple[Branch, Reason]], ...] = tuple([deque() for _ in Rank])
        self.out: dict[int, Reason] = {}  # by number of a branch that is being executed

    # -- looking ahead ------------------------------------------------------------------------------------------------

    def view(self, run: Run, history: History, number: int, with_values: bool) -> View:
        """A run as the basis of predictions; ``with_values``: it recorded the values."""
        if self.checks is None or not with_values or not run.first:  # without a write no read can change
            return View(run.entries(), number)
        observed = ObservedValues(run.log, run.first, run.given)
        return View(run.entries(), number, observed, Goals(history, observed, self.checks, self.aims))

    def reason(self, view: View, wanted: CandidateSchedule) -> Reason | None:
        """The reason to make an execution before its turn; None if there is none."""
        promise, leads_to = None, None
        if self.checks is not None and view.observed is not None and view.goals is not None:
            promise = self.checks.promise(view.observed, wanted.step, wanted.sees)
            leads_to = view.goals.lead(wanted.step, wanted.sees)
        novel = self.novelty.promises(view.log, wanted.step, wanted.sees)
        if promise is not None and promise.fails:
            return Reason(Rank.FAILS, view.number, promise.check)
        if leads_to is not None:
            return Reason(Rank.LEADS, view.number, leads_to)
        return Reason(Rank.NEW, view.number) if novel or promise is not None else None

    def records_values(self, branch: Branch, runs: int) -> bool:
        """Whether a branch's run must record the values, after ``runs`` runs."""
        return self.checks is not None and (runs < _RECORDING or branch.number in self.out)

    # -- waiting ------------------------------------------------------------------------------------------------------

    def add(self, branch: Branch, reason: Reason) -> None:
        """Queue a branch ahead of its turn, for a reason."""
        self.queues[reason.rank].append((branch, reason))

    def pop(self) -> Branch | None:
        """The next branch to execute before its turn, if there is one."""
        for queue in self.queues:
            if queue:
                branch, self.out[branch.number] = queue.popleft()
                return branch
        return None

    def __iter__(self) -> Iterator[Branch]:
        return (branch for queue in self.queues for branch, _ in queue)

    # -- results ------------------------------------------------------------------------------------------------------

    def compare(self, branch: Branch, run: Run, number: int, ahead: int) -> None:
        """Note whether a run made before its turn has confirmed the prediction; it was the ``number``-th run, and
        overtook ``ahead`` others."""
        reason = self.out.pop(branch.number)
        failed = [failure for failure in run.failures if not failure.is_race]
        if failed and self.foretold is None:
            self.foretold = Foretold(reason.predicted_by, number, ahead)
        if reason.rank is Rank.FAILS and reason.check is not None and self.checks is not None:
            self.predicted += 1
            if any(map(reason.check.is_behind, failed)):
                self.confirmed += 1
                self.checks.confirm(reason.check)

    def predictions(self) -> Predictions:
        """Failures predicted and confirmed, and how many queued executions the first one overtook."""
        return Predictions(self.predicted, self.confirmed, 0 if self.foretold is None else self.foretold.ahead)

    def summary(self) -> str:
        """The results, in words ("" if there are none)."""
        parts, found = [], self.foretold
        if self.predicted:
            many = "s" * (self.predicted != 1)
            parts.append(f"{self.predicted} failure{many} predicted from values read, {self.confirmed} confirmed")
        if found is not None and found.ahead:
            parts.append(
                f"guidance from execution {found.predicted_by} of the search found this in execution "
                f"{found.confirmed_by}, ahead of {found.ahead} queued"
            )
        return "; ".join(parts)
