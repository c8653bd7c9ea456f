"""Asks a solver whether an alternative is possible, and turns its order into a seed (see mcr.py)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from mazurka.causal.history import INITIAL, History
from mazurka.causal.question import Before, HypotheticalEvent, Question
from mazurka.causal.solver import Feasible, Infeasible, Solver
from mazurka.explore.reads_from.decision_path import Decision
from mazurka.explore.reads_from.held_threads import HeldThreads
from mazurka.lazy_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class CandidateSchedule:
    """A possible run: its prefix, and its answer to the node before ``cut``. ``asked`` are the uncertain entries of the
    prefix. In the run ``step`` (-1: no step of the run that showed it possible) reads ``sees``, as (target, source).
    ``above``: if the accesses of a step are a guess, a hash of the answers before it."""

    cut: int
    answer: int
    prefix: tuple[str, ...]
    asked: tuple[int, ...]
    step: int = -1
    sees: tuple[tuple[Any, int], ...] = ()
    above: int = 0


class Tally(Protocol):
    """Counts queries and their results."""

    queries: int
    unknown: int
    capped: int
    varying: bool


class FeasibilityCheck:
    """Decides alternatives for one run. ``impossible`` are the impossible ones, as (number on the path, answer)."""

    def __init__(self, history: History, solver: Solver, tally: Tally) -> None:
        self.history = history
        self.solver = solver
        self.tally = tally
        self.impossible: list[tuple[int, int]] = []

    def ask(
        self,
        stop: Decision,
        answer: int,
        places: Sequence[tuple[int, int]],
        sources: Sequence[int],
        extras: tuple[HypotheticalEvent, ...],
        unsure: bool = False,
    ) -> CandidateSchedule | None:
        """Decide an alternative: a run that shows it, or None if there is none.

        ``places`` are the extra steps' threads and positions: their predecessors must happen, and they themselves must
        not happen before.
        """
        stop.node.tried.add(answer)
        order = self._order(list(stop.past), places, sources, extras)
        if order is None:
            self.impossible.append((stop.number, answer))
            return None
        return self._want(stop.number, answer, order, places[-1], extras, unsure)

    def probe(
        self,
        places: Sequence[tuple[int, int]],
        sources: Sequence[int],
        extras: tuple[HypotheticalEvent, ...],
    ) -> tuple[str, ...] | None:
        """The prefix of a run in which the last extra step has these reads, among others; None: there is none."""
        history = self.history
        order = self._order([0] * len(history.threads), places, sources, extras)
        if order is None:
            return None
        base, prefix = len(history.numbers), list[str]()
        for step in order:
            if step >= base:
                prefix.append(history.tasks[extras[step - base].thread])
                if step == base + len(extras) - 1:
                    break
            elif history.points[step]:
                prefix.append(history.tasks[history.numbers[step]])
        return tuple(prefix)

    def held(self, held: HeldThreads) -> tuple[str, ...] | None:
        """The prefix of a run in which these threads are held at once; None: there is none."""
        history, past, threads = self.history, held.past, held.threads
        base, places = len(history.numbers), [(each.thread, past[each.thread]) for each in threads]
        last = [Before(write, base + number) for number, each in enumerate(threads) for write in each.writes]
        order = self._order(list(past), places, [], tuple([each.look() for each in threads]), tuple(last))
        if order is None:
            return None
        steps = [step for step in order if step < base and history.points[step]]
        return tuple([history.tasks[history.numbers[step]] for step in steps])

    def _order(
        self,
        past: list[int],
        places: Sequence[tuple[int, int]],
        sources: Sequence[int],
        extras: tuple[HypotheticalEvent, ...],
        constraints: tuple[Before, ...] = (),
    ) -> tuple[int, ...] | None:
        """An order of ``past[t]`` steps of each thread t, and then the extra steps; None if there is none."""
        history = self.history
        for thread, position in places:
            history.include_before(past, thread, position)
        for source in sources:
            if source != INITIAL:
                history.include(past, source)
        if any(past[thread] > position for thread, position in places):
            return None
        self.tally.queries += 1
        happen = tuple([own[count - 1] for own, count in zip(history.threads, past, strict=True) if count])
        verdict = self.solver.decide(history, Question(happen, hypothetical=extras, constraints=constraints))
        if isinstance(verdict, Feasible):
            return verdict.order
        self.tally.unknown += not isinstance(verdict, Infeasible)
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
        """The run of an order: at its points the threads of the order's steps move.

        ``unsure``: the accesses of an extra step are a guess, so later steps may turn out infeasible.
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
