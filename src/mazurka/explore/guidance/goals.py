"""Finds executions that lead towards one in which a check fails, if the run itself does not prove that possible.

A run shows a write whose value would fail a check (checks.py) if some read got it, but in this run the read can't:

- the write needs the read: its thread's steps before it depend on steps after the read;
- the write is *covered*: another write of the location has to come after it and before the read.

In both cases some read made the one depend on the other. An execution in which such a read gets its value from another
write, so that the dependence is gone, is a step towards the failure. A value that does not exist yet is no goal: mostly
the reader gets it from its writer.

A *goal* is a pair of steps, ``beyond`` and ``pivot``: it is reached when ``beyond`` does not need ``pivot`` any more.
An execution leads there if a step that ``beyond`` needs, and that needs ``pivot``, reads another write and then no
longer needs ``pivot``.

A value can also be carried on: a thread computes the values it stores from values it has read (terms, within a
function). If a read got another value, another one would be stored, and a check that reads it would fail; then that is
a step, too, although the store may have another reader in that execution.

Like predictions, goals only decide the order of executions. There are at most :data:`_AIMS` attempts for a check.

Cost: for a run that records its values, a term for each pair of a read that decides a check and a value written, up to
:data:`_PAIRS`; then a few comparisons of numbers for each execution wanted.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any, Final, NamedTuple

from mazurka.causal.history import INITIAL, History
from mazurka.explore.guidance.checks import ObservedValues, PredictedChecks
from mazurka.program.conditions import Check
from mazurka.program.terms import MISSING, UNKNOWN, evaluate
from mazurka.trace.event import Op
from mazurka.trace.targets import is_data

#: How many executions are preferred because they lead towards the failure of one check.
_AIMS: Final = 8

#: The most pairs of a read and a value that are considered in a run.
_PAIRS: Final = 500


class Goal(NamedTuple):
    """See the module."""

    beyond: int
    pivot: int
    check: Check


class Goals:
    """The goals of one run. ``aims`` counts, over all runs, the executions that were preferred for each check."""

    def __init__(
        self, history: History, observed: ObservedValues, checks: PredictedChecks, aims: Counter[Check]
    ) -> None:
        self.history = history
        self.observed = observed
        self.checks = checks
        self.aims = aims
        self.aimed: set[tuple[Goal, int]] = set()
        self.goals = [goal for goal in self._all() if aims[goal.check] < _AIMS]

    def lead(self, step: int, sees: Iterable[tuple[Any, int]]) -> Check | None:
        """The check towards whose failure an execution leads in which a step reads ``sees``, as (target, source)."""
        if step < 0:
            return None
        carried = self._carried(step, sees)
        if carried is not None:
            return self._aim(carried)
        for goal in self.goals:
            if self.aims[goal.check] < _AIMS and (goal, step) not in self.aimed and self._is_nearer(goal, step, sees):
                self.aimed.add((goal, step))
                return self._aim(goal.check)
        return None

    def _aim(self, check: Check) -> Check:
        self.aims[check] += 1
        return check

    def _carried(self, step: int, sees: Iterable[tuple[Any, int]]) -> Check | None:
        """The check that fails if the value computed from the new one reaches the same readers as now."""
        observed, stores = self.observed, self.checks.of(self.observed.log[step].site).stores
        if not stores or (value := observed.seen(step, sees)) is UNKNOWN:
            return None
        reads = observed.around(step, value)
        for site, term in stores:
            stored = evaluate(term, reads)
            writing = observed.following(step, site)
            if (
                stored is UNKNOWN
                or writing is None
                or stored == observed.written(observed.log[writing].target, writing)
            ):
                continue
            for reader in self.history.readers[writing]:
                if observed.log[reader].op is Op.READ and observed.log[reader].target == observed.log[writing].target:
                    check = self.checks.failing(observed, reader, stored)
                    if check is not None and self.aims[check] < _AIMS:
                        return check
        return None

    def _is_nearer(self, goal: Goal, step: int, sees: Iterable[tuple[Any, int]]) -> bool:
        """Whether ``step``, by which ``beyond`` needs ``pivot``, would no longer need it."""
        history, pivot = self.history, goal.pivot
        thread, position = history.numbers[step], history.positions[step]
        if thread != history.numbers[goal.beyond] or not history.needs(goal.beyond, step):
            return False
        if not history.needs(step, pivot):
            return False
        before = history.threads[thread][position - 1] if position else INITIAL
        sources = [before, *[source for _, source in sees]]
        known = all(source < len(history.numbers) for source in sources)
        return known and not any(source != INITIAL and history.needs(source, pivot) for source in sources)

    def _all(self) -> Iterator[Goal]:
        observed, checks, pairs = self.observed, self.checks, 0
        for read, step in enumerate(observed.log):
            if step.op is not Op.READ or not is_data(step.target) or not checks.of(step.site).checks:
                continue
            seen: dict[Any, Check | None] = {}
            for write in (INITIAL, *self.history.writers.get(step.target, ())):
                value = observed.written(step.target, write)
                if value not in seen:
                    hopeless = value is UNKNOWN or value is MISSING and write == INITIAL
                    seen[value] = None if hopeless else checks.failing(observed, read, value)
                    pairs += 1
                check = seen[value]
                if check is not None:
                    yield from self._towards(read, write, check)
                if pairs > _PAIRS:
                    return

    def _towards(self, read: int, write: int, check: Check) -> Iterator[Goal]:
        """The reads that must change for a read to get a write's value."""
        history = self.history
        if write != INITIAL and history.numbers[write] == history.numbers[read]:
            return
        if write != INITIAL and history.needs(write, read):
            yield Goal(write, read, check)
            return
        for other in history.writers.get(self.observed.log[read].target, ()):
            if other != write and history.needs(read, other) and (write == INITIAL or history.needs(other, write)):
                yield Goal(read, other, check) if write == INITIAL else Goal(other, write, check)
