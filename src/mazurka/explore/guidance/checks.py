"""Predicts executions in which a check of the program fails, or has an outcome that no execution has shown.

A *check* is a place where values read decide whether the program fails (dissertation ch. 3.1.3: a property over read
values, asked of the model of a trace before any new run): an assertion; a test that guards a ``raise``; the use of a
value that may be None, or may be missing. Any other test is a check, too, with no failing outcome: the code after an
outcome not seen yet has not been executed at all. Checks are terms over reads (terms.py), found by the front end of the
language (:data:`UsesOf`).

In a queued execution a step reads another write. The run that shows it possible records the values, so each check that
depends on the step is computed again, with the other value for this read, and the run's values for the other reads of
the same pass. The conditions under which the check is reached must not evaluate to false.

A prediction only decides which execution comes first, not the report: only failures of executions are. The step's
thread may read other values afterwards, so a prediction may be wrong; a check for which predictions were wrong
:data:`_ATTEMPTS` times is not predicted again.

Departure from the source: there properties are stated by hand and solved for; here they are taken from the program's
source, and a prediction is a value that the solver has shown to be readable.

Cost: a look-up for each execution that a run with recorded values offers, and the evaluation of terms of a few lines.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from mazurka.lazy_dataclass import dataclass
from mazurka.program.conditions import Check, CheckKind, Uses, UsesOf
from mazurka.program.terms import MISSING, UNKNOWN, Reads, truth, value_of
from mazurka.trace.event import WRITES, Op
from mazurka.trace.ids import StepIndex

#: How often a check may be predicted to fail without failing.
_ATTEMPTS: Final = 3


NOTHING_GIVEN: Final[Mapping[StepIndex, Mapping[str, Any]]] = {}

#: Checks that fail if the value read is missing or None.
_OF_NOTHING: Final = (CheckKind.NONE, CheckKind.MISSING)


@dataclass(frozen=True, slots=True)
class PredictedOutcome:
    """The reason to execute a seed soon: ``check`` is predicted to fail (``fails``), or to have a new outcome."""

    check: Check
    fails: bool


class ObservedValues:
    """A run with recorded values, indexed by each thread's reads at each source location."""

    def __init__(
        self, log: Sequence[Any], first: Mapping[Any, Any], given: Mapping[StepIndex, Mapping[str, Any]] = NOTHING_GIVEN
    ) -> None:
        self.log = log
        self.first = first
        self.given = given
        self._steps: dict[tuple[int, int], list[int]] = {}
        for number, step in enumerate(log):
            if step.site > 0:
                self._steps.setdefault((step.task, step.site), []).append(number)

    def written(self, target: Any, source: int) -> Any:
        """The value that a read of ``target`` gets from the step ``source`` (negative: the initial value)."""
        if source < 0:
            return value_of(self.first.get(target))
        step = self.log[source] if source < len(self.log) else None
        if step is None or step.target != target or not WRITES[step.op]:
            return UNKNOWN
        return value_of(step.value)

    def seen(self, step: int, sees: Iterable[tuple[Any, int]]) -> Any:
        """The value that a step would read by ``sees``, (target, source)."""
        target = self.log[step].target
        return next((self.written(target, source) for each, source in sees if each == target), UNKNOWN)

    def following(self, step: int, site: int) -> int | None:
        """The step after this one of its thread at ``site``, in the same pass."""
        task, here = self.log[step].task, self.log[step].site
        steps = self._steps.get((task, site), ())
        after = bisect_right(steps, step)
        return steps[after] if after < len(steps) and steps[after] < self._next(task, here, step) else None

    def read_by(self, number: int) -> Any:
        """The value that a step read; unknown for an update, of which the run records the value written."""
        step = self.log[number]
        return value_of(step.value) if step.op is Op.READ else UNKNOWN

    def around(self, step: int, changed: Any = UNKNOWN) -> Reads:
        """The values that the thread of ``step`` read in the same iteration, with ``changed`` for ``step`` itself."""
        task, here = self.log[step].task, self.log[step].site
        again = self._next(task, here, step)

        def read(site: int | str) -> Any:
            if isinstance(site, str):
                return value_of(self.given.get(StepIndex(step), {}).get(site))
            if site == here:
                return changed
            steps = self._steps.get((task, site), ())
            before, after = bisect_left(steps, step) - 1, bisect_right(steps, step)
            if site > here and after < len(steps) and steps[after] < again:
                return self.read_by(steps[after])
            if site < here and before >= 0:
                return self.read_by(steps[before])
            return UNKNOWN

        return read

    def _next(self, task: int, site: int, step: int) -> int:
        steps = self._steps[task, site]
        following = bisect_right(steps, step)
        return steps[following] if following < len(steps) else len(self.log)


class PredictedChecks:
    """Predicts the outcomes of checks. ``find`` gives the checks that depend on a read at a location."""

    def __init__(self, find: UsesOf) -> None:
        self.find = find
        self.found: dict[int, Uses] = {}
        self.tries: Counter[Check] = Counter()
        self.outcomes: set[tuple[Check, bool]] = set()
        self.settled: set[Check] = set()  # predicted and confirmed

    def of(self, site: int) -> Uses:
        """The checks that depend on a read at a place."""
        uses = self.found.get(site)
        if uses is None:
            uses = self.found[site] = self.find(site)
        return uses

    def promise(self, observed: ObservedValues, step: int, sees: Iterable[tuple[Any, int]]) -> PredictedOutcome | None:
        """The predicted outcome of an execution in which a step of the run reads ``sees``, as (target, source)."""
        if step < 0:
            return None
        value = observed.seen(step, sees)
        if value is UNKNOWN or value == observed.read_by(step):
            return None
        failing = self.failing(observed, step, value)
        if failing is not None:
            self.tries[failing] += 1
            return PredictedOutcome(failing, fails=True)
        new = [
            check
            for check, present, outcome in self._decided(observed, step, value)
            if check.kind is CheckKind.TEST and self._is_new(check, present, outcome)
        ]
        return PredictedOutcome(new[0], fails=False) if new else None

    def failing(self, observed: ObservedValues, step: int, value: Any) -> Check | None:
        """The check that is predicted to fail if a step of the run reads this value."""
        for check, _, outcome in self._decided(observed, step, value):
            if outcome and check.kind is not CheckKind.TEST and check not in self.settled:
                if self.tries[check] < _ATTEMPTS:
                    return check
        return None

    def _decided(self, observed: ObservedValues, step: int, value: Any) -> Iterator[tuple[Check, bool | None, bool]]:
        """The checks whose outcome would change, with both outcomes (the present one may be unknown)."""
        checks = self.of(observed.log[step].site).checks
        if not checks:
            return
        will = observed.around(step, value)
        absent = value is None or value is MISSING
        for check in checks:
            if check.kind in _OF_NOTHING and not absent or (outcome := truth(check.term, will)) is None:
                continue
            was = observed.around(step, observed.read_by(step))
            if outcome is not (present := truth(check.term, was)):
                if not any(truth(term, will) is (not holds) for term, holds in check.under):
                    yield check, present, outcome

    def _is_new(self, check: Check, present: bool | None, outcome: bool) -> bool:
        """Whether no run has shown this outcome of a test."""
        if present is None:
            return False
        new = (check, outcome) not in self.outcomes
        self.outcomes |= {(check, outcome), (check, present)}
        return new

    def confirm(self, check: Check) -> None:
        """Record that a check has failed as predicted."""
        self.settled.add(check)
