"""The solver that explorers use: tries the fast path, else searches positions exactly.

It decides plain questions about a run's history (question.py) itself, and hands all others to `closure`.

The search goes through vectors of thread positions. Invariant: a write that still has readers to come is never
overwritten. So the write that a target holds matters only while it can't change, and the vector alone determines
whether the remaining steps can be executed; a vector that failed is not entered again. Steps that can't exclude an
order are taken at once and without alternatives:

- steps that write nothing;
- steps that read the target they write (their source is in place, so no other write may come first);
- writes of targets that only one thread writes, or that are *alternating*: every plain write follows an indivisible
  read-and-write by the same thread whose source is a plain write (locks are like that). Between the two no other step
  can write.

Steps that touch only what no other thread touches are left out, and put back before the next step of their thread; but
for those without which a step that is not left out would not read what it reads.
Only the remaining writes are branched on, in the order of the run. Complete; exponential at worst in the number of
threads only (the number of vectors), linear for most questions an explorer asks. Gives up after ``limit`` vectors.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from typing import Any

from mazurka.causal.fast_path import answer_fast
from mazurka.causal.history import INITIAL, History, overwritten
from mazurka.causal.question import HypotheticalEvent, Question
from mazurka.causal.solver import Answer, CausalModel, Feasible, Infeasible, Solver, Unknown
from mazurka.trace.ids import StepIndex


class SearchSolver:
    """Decides plain questions about histories by search over thread positions, and others by `closure`."""

    name = "search"

    def __init__(self, limit: int = 200_000) -> None:
        self.limit = limit
        self._closure: Solver | None = None

    def decide(self, model: CausalModel, question: Question) -> Answer:
        if not isinstance(model, History) or not question.is_plain:
            return self._by_closure(model, question)
        past, extras = model.prefixes(question.happen), question.hypothetical
        return answer_fast(model, past, extras) or _PositionSearch(model, past, extras, self.limit).run()

    def _by_closure(self, model: CausalModel, question: Question) -> Answer:
        if self._closure is None:
            from mazurka.causal.closure import ClosureSolver

            self._closure = ClosureSolver()
        return self._closure.decide(model, question)


class _PositionSearch:
    """One exact search: for an order of the first ``past[t]`` steps of each thread t, and then the extra ones."""

    def __init__(self, history: History, past: Sequence[int], extras: Sequence[HypotheticalEvent], limit: int) -> None:
        self.limit = limit
        self.base = len(history.numbers)
        # By step; those of the extra steps follow.
        self.reads = [*history.reads, *[extra.reads for extra in extras]]
        self.writes = [*history.writes, *[extra.writes for extra in extras]]
        self.overwrites = [*history.overwrites, *[overwritten(extra.reads, extra.writes) for extra in extras]]
        self.extras = extras
        self.whole = [history.threads[t][:length] for t, length in enumerate(past)]
        shared = _shared_steps(history, extras)
        self.rows = [[step for step in row if step in shared] for row in self.whole]
        for number, extra in enumerate(extras):
            for rows in (self.whole, self.rows):
                rows[extra.thread].append(StepIndex(self.base + number))
        self.total = sum(map(len, self.rows))
        self.at = [0] * len(self.rows)
        self.order: list[StepIndex] = []
        self.holds: dict[Any, int] = {}  # by target: the step that wrote its present value
        self.awaited: dict[tuple[Any, int], int] = {}  # (target, step) -> readers still to come
        self.first: dict[int, list[tuple[int, int]]] = {}  # by step: (row, position) of others that must come before
        self._count()
        self._forbid(history, past)
        self.quiet = self._quiet_targets()
        self.trail: list[tuple[Any, ...]] = []

    def _count(self) -> None:
        for row in self.rows:
            for step in row:
                for read in self.reads[step]:
                    self.awaited[read] = self.awaited.get(read, 0) + 1

    def _forbid(self, history: History, past: Sequence[int]) -> None:
        """Other writes of a target that an extra step reads, if its predecessors need them, have to come before its
        source."""
        for extra in self.extras:
            position = past[extra.thread]
            if not position:
                continue
            latest = history.threads[extra.thread][position - 1]
            for target, source in extra.reads:
                needed = [
                    (history.numbers[writer], bisect_left(self.rows[history.numbers[writer]], writer))
                    for writer in history.writers.get(target, ())
                    if writer != source and history.needs(latest, writer)
                ]
                self.first.setdefault(source, []).extend(needed)

    def _quiet_targets(self) -> set[Any]:
        """Targets among whose writers there is never a choice: written by one thread only, or alternating."""
        threads: dict[Any, set[int]] = {}
        steady: dict[Any, bool] = {}
        plain: set[tuple[Any, int]] = set()
        sources: list[tuple[Any, StepIndex]] = []
        for number, row in enumerate(self.rows):
            opened: dict[Any, bool] = {}
            for step in row:
                overwrites = self.overwrites[step]
                for target in self.writes[step]:
                    threads.setdefault(target, set()).add(number)
                    steady.setdefault(target, True)
                    source = overwrites.get(target)
                    if source is None:
                        plain.add((target, step))
                        if not opened.get(target):
                            steady[target] = False
                        opened[target] = False
                    else:
                        opened[target] = True
                        sources.append((target, source))
        for target, source in sources:
            if source != INITIAL and (target, source) not in plain:
                steady[target] = False
        return {target for target, writers in threads.items() if len(writers) == 1 or steady[target]}

    # -- moving -------------------------------------------------------------------------------------------------------

    def _can(self, step: int) -> bool:
        holds, awaited = self.holds, self.awaited
        for target, source in self.reads[step]:
            if holds.get(target, INITIAL) != source:
                return False
        overwrites = self.overwrites[step]
        for target in self.writes[step]:
            held = holds.get(target, INITIAL)
            if awaited.get((target, held), 0) != (overwrites.get(target) == held):
                return False
        return step not in self.first or all(self.at[row] > position for row, position in self.first[step])

    def _is_quiet(self, step: int) -> bool:
        overwrites = self.overwrites[step]
        return all(target in self.quiet or target in overwrites for target in self.writes[step])

    def _do(self, row: int, step: StepIndex) -> None:
        for read in self.reads[step]:
            self.awaited[read] -= 1
        before = []
        for target in self.writes[step]:
            before.append(self.holds.get(target, INITIAL))
            self.holds[target] = step
        self.at[row] += 1
        self.order.append(step)
        self.trail.append((row, before))

    def _undo(self) -> None:
        row, before = self.trail.pop()
        step = self.order.pop()
        self.at[row] -= 1
        for target, held in zip(reversed(self.writes[step]), reversed(before), strict=True):
            self.holds[target] = held
        for read in self.reads[step]:
            self.awaited[read] += 1

    def _take_quiet(self) -> None:
        """Take steps that exclude no order until there are none."""
        rows, at = self.rows, self.at
        moved = True
        while moved:
            moved = False
            for number, row in enumerate(rows):
                while at[number] < len(row):
                    step = row[at[number]]
                    if not (self._is_quiet(step) and self._can(step)):
                        break
                    self._do(number, step)
                    moved = True

    def _branches(self) -> list[tuple[int, StepIndex]]:
        """(row, step) of the writes that can come next, in the order of the run."""
        heads = [(row[self.at[n]], n) for n, row in enumerate(self.rows) if self.at[n] < len(row)]
        return [(n, step) for step, n in sorted(heads) if self._can(step)]

    def run(self) -> Answer:
        failed: set[tuple[int, ...]] = set()
        frames: list[tuple[int, tuple[int, ...], Iterator[tuple[int, StepIndex]]]] = []
        self._take_quiet()
        while len(self.order) < self.total:
            here = tuple(self.at)
            if here in failed:
                branches: list[tuple[int, StepIndex]] = []
            else:
                if len(failed) + len(frames) > self.limit:
                    return Unknown(f"gave up after {self.limit} positions")
                branches = self._branches()
            frames.append((len(self.order), here, iter(branches)))
            if not self._next(frames, failed):
                return Infeasible()
        return Feasible(tuple(self._with_all()))

    def _with_all(self) -> Iterator[StepIndex]:
        """The order, with all steps."""
        rest = [iter(row) for row in self.whole]
        thread_of = {step: number for number, row in enumerate(self.rows) for step in row}
        for step in self.order:
            for each in rest[thread_of[step]]:
                yield each
                if each == step:
                    break
        for row in rest:
            yield from row

    def _next(
        self,
        frames: list[tuple[int, tuple[int, ...], Iterator[tuple[int, StepIndex]]]],
        failed: set[tuple[int, ...]],
    ) -> bool:
        """Go to the next untried branch, backtracking as far as needed; false if there is none."""
        while frames:
            depth, here, branches = frames[-1]
            while len(self.order) > depth:
                self._undo()
            branch = next(branches, None)
            if branch is not None:
                self._do(*branch)
                self._take_quiet()
                return True
            failed.add(here)
            frames.pop()
        return False


def _shared_steps(history: History, extras: Sequence[HypotheticalEvent]) -> frozenset[int]:
    """The steps that touch what other threads, or the extra steps, touch, and those that share a target with them."""
    touched = {target for extra in extras for target in (*extra.writes, *[read for read, _ in extra.reads])}
    shared = history.shared_steps()
    return shared | history.connected_steps(touched, shared)
