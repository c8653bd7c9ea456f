"""Asks a solver whether an alternative is possible, and turns its order into the run that is wanted (see mcr.py)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from mazurka.causal.history import INITIAL, History
from mazurka.causal.question import HypotheticalEvent, Question
from mazurka.causal.solver import Feasible, Infeasible, Solver
from mazurka.explore.reads_from.decision_path import Decision


@dataclass(frozen=True, slots=True)
class CandidateSchedule:
    """A run wanted: by its prefix, and as the answer to the node before ``cut``. ``asked`` are the uncertain
    entries; in it ``step`` (-1: none of the run that showed it possible) reads what ``sees`` says, (target,
    source)."""

    cut: int
    answer: int
    prefix: tuple[str, ...]
    asked: tuple[int, ...]
    step: int = -1
    sees: tuple[tuple[Any, int], ...] = ()


class Tally(Protocol):
    """Counts what the walk does."""

    queries: int
    unknown: int
    capped: int
    varying: bool


class FeasibilityCheck:
    """Decides alternatives for one run. ``impossible`` are those that are not: (number on the path, answer)."""

    def __init__(self, history: History, solver: Solver, tally: Tally) -> None:
        self.history = history
        self.solver = solver
        self.tally = tally
        self.impossible: list[tuple[int, int]] = []

    def ask(
        self,
        stop: Decision,
        answer: int,
        places: list[tuple[int, int]],
        sources: Sequence[int],
        extras: tuple[HypotheticalEvent, ...],
        unsure: bool = False,
    ) -> CandidateSchedule | None:
        """Decide an alternative: the run wanted, or None if there is none.

        ``places`` are the extra steps' threads and positions: their predecessors must happen, they themselves must
        not have happened before.
        """
        history = self.history
        stop.node.tried.add(answer)
        past = list(stop.past)
        for thread, position in places:
            history.include_before(past, thread, position)
        for source in sources:
            if source != INITIAL:
                history.include(past, source)
        if any(past[thread] > position for thread, position in places):
            self.impossible.append((stop.number, answer))
            return None
        self.tally.queries += 1
        happen = tuple([own[count - 1] for own, count in zip(history.threads, past, strict=True) if count])
        verdict = self.solver.decide(history, Question(happen, hypothetical=extras))
        if isinstance(verdict, Feasible):
            return self._want(stop.number, answer, verdict.order, places[-1], extras, unsure)
        self.tally.unknown += not isinstance(verdict, Infeasible)
        self.impossible.append((stop.number, answer))
        return None

    def _want(
        self,
        number: int,
        answer: int,
        order: tuple[int, ...],
        place: tuple[int, int],
        extras: tuple[HypotheticalEvent, ...],
        unsure: bool,
    ) -> CandidateSchedule:
        """The run that an order stands for: at its points move the threads of the order's steps.

        ``unsure`` says that what an extra step does is a guess, so what comes after it may turn out impossible.
        """
        history = self.history
        base, tasks, points, numbers = len(history.numbers), history.tasks, history.points, history.numbers
        prefix: list[str] = []
        asked: dict[int, int] = {}
        for step in order:
            if step >= base:
                asked[step] = len(prefix)
                prefix.append(tasks[extras[step - base].thread])
            elif points[step]:
                prefix.append(tasks[numbers[step]])
        uncertain = [asked[step] for step in sorted(asked)]
        if unsure:
            uncertain[:0] = range(min(uncertain) + 1, len(prefix))
        thread, position = place
        own = history.threads[thread]
        step = own[position] if position < len(own) else -1
        return CandidateSchedule(number + 1, answer, tuple(prefix), tuple(uncertain), step, extras[-1].reads)
