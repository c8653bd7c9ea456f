"""The writes of a run that a step could read from (see mcr.py).

Cost: one pass over the steps on a target, once for each run; then a search by halves for each thread.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from typing import Any

from mazurka.causal.history import INITIAL, History
from mazurka.trace.ids import StepIndex


class StepsByThread:
    """The steps on each target by thread."""

    def __init__(self, history: History, steps_of: Mapping[Any, Sequence[StepIndex]]) -> None:
        """``steps_of`` has the steps on each target, ascending."""
        self.history = history
        self.steps_of = steps_of
        self._made: dict[Any, dict[int, list[StepIndex]]] = {}

    def of(self, target: Any) -> dict[int, list[StepIndex]]:
        """The steps on the target by thread, ascending."""
        groups = self._made.get(target)
        if groups is None:
            groups = self._made[target] = {}
            numbers = self.history.numbers
            for step in self.steps_of.get(target, ()):
                groups.setdefault(numbers[step], []).append(step)
        return groups

    def first_from(self, steps: list[StepIndex], thread: int, position: int) -> int:
        """The place of the first of these steps of a thread, ascending, at the position or later."""
        own = self.history.threads[thread]
        return bisect_left(steps, own[position]) if position < len(own) else len(steps)


class PossibleSources:
    """The possible sources of the reads of one run's steps."""

    def __init__(self, history: History) -> None:
        self.history = history
        self.writers = StepsByThread(history, history.writers)

    def of(self, step: int, target: Any, present: StepIndex | None) -> list[StepIndex]:
        """The possible sources of a read of ``target`` by ``step``: the present one first (None: it does not read the
        target), then the other writes that do not need it.

        A write that the step needs anyway hides those that this one needs, and the initial value.
        """
        writers = self.writers.of(target)
        if not writers:
            return [INITIAL] if present is None else [present]
        history = self.history
        thread, position = history.numbers[step], history.positions[step]
        clocks, threads = history.clocks, history.threads
        needed = clocks[threads[thread][position - 1]] if position else None
        latest: list[StepIndex] = []  # of each thread: its last write that the step needs
        found: list[StepIndex] = []
        for other, steps in writers.items():
            if other == thread:
                first = bisect_left(steps, step)
            elif needed is None:
                first = 0
            else:
                own, count = threads[other], needed[other]
                first = bisect_left(steps, own[count]) if count < len(own) else len(steps)
            if first:
                latest.append(steps[first - 1])
            if other != thread:
                for write in steps[first:] if first else steps:
                    if clocks[write][thread] > position:
                        break  # it needs the step, and so do its thread's later ones
                    found.append(write)
        if len(latest) > 1:
            latest = self._not_hidden(latest)
        elif not latest and present != INITIAL:
            latest = [INITIAL]
        found = [writer for writer in (*latest, *found) if writer != present]
        return found if present is None else [present, *found]

    def _not_hidden(self, writes: list[StepIndex]) -> list[StepIndex]:
        """Those of some writes that none of the others needs."""
        needs, last = self.history.needs, max(writes)
        if all(needs(last, write) for write in writes):
            return [last]
        return [w for w in writes if not any(o != w and needs(o, w) for o in writes)]
