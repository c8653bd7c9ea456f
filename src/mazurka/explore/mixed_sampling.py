"""The samplers of ``auto``: ``pos``, ``random`` and ``pct`` in turns, in one process.

None of them finds all bugs soonest. In twelve programs of 140 to 250 lines with one bug each, ``pos`` needed 1 to 566
executions, ``random`` was several times faster with lock orders, which it found within 7, and mostly did not find two
of the others, and ``pct`` was the only one with a bound on the probability of missing a bug (sampling.py). So of the
first hundred executions, in fours, two are of ``pos``, one of each of the others; then of eight seven are of ``pos``,
one of ``pct``. ``pct`` is that for bugs of depth 2, i.e. those that two ordering constraints lead to: one change
of priorities. For deeper ones its bound is next to nothing in a program of more than a few points.

The inputs are those of the search, as ``auto`` searches inputs in classes.

Invariant: an execution is determined by the seed, its number, and the lengths of those before it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from math import expm1, log1p
from typing import Final

from mazurka.explore.coverage import Coverage, Sampled
from mazurka.explore.strategy import Estimate, JournalRecord, Seed, Strategy
from mazurka.program.protocol import Plan, Run, TailPolicy

#: The samplers of successive executions: of the first ones, and then.
_TURNS: Final = (TailPolicy.POS, TailPolicy.RANDOM, TailPolicy.POS, TailPolicy.PCT)
_FIRST: Final = 100
_LATER: Final = (*[TailPolicy.POS] * 7, TailPolicy.PCT)


class MixedSampling(Strategy):
    """See the module."""

    name = "samplers"
    exhaustive = False

    def __init__(self, seed: int = 0) -> None:
        self.seed = seed
        self.number = 0  # of the next execution
        self.done = 0
        self.threads = 1  # the most threads in one execution, as ``length`` are the most points
        self.length = 1
        self.planned: dict[int, int] = {}  # how many executions of ``pct``, by the length that they assumed
        self._written = 0  # how many executions the journal has

    def next_seed(self) -> Seed:
        number, self.number = self.number, self.number + 1
        turns = _TURNS if number < _FIRST else _LATER
        tail = turns[number % len(turns)]
        plan = Plan(tail=tail, seed=self.seed + number, changes=1, length=self.length)
        return Seed(number, plan)

    def observe(self, seed: Seed, run: Run) -> None:
        self.done += 1
        self.threads = max(self.threads, len(run.tasks))
        self.length = max(self.length, run.passed())
        if seed.plan.tail is TailPolicy.PCT:
            self.planned[seed.plan.length] = self.planned.get(seed.plan.length, 0) + 1

    def probability(self) -> float:
        """The least probability that the executions so far have found a given bug of depth 2, if none is longer than
        the longest of them. Those count that assumed this length, at least."""
        threads = self.threads
        missed = sum(
            count * log1p(-1 / (threads * length))
            for length, count in self.planned.items()
            if length >= self.length and threads * length > 1
        )
        return -expm1(missed)

    def coverage(self) -> Coverage:
        return Coverage(sampled=Sampled(self.done, self.probability(), self.threads, self.length))

    def estimate(self) -> Estimate:
        return Estimate(self.done, 0, None)

    def incompleteness_reason(self) -> str:
        return "it samples"

    def records(self) -> list[JournalRecord]:
        if self._written == self.done:
            return []
        self._written = self.done
        return [("mixed", self.done, self.threads, self.length, json.dumps(sorted(self.planned.items())))]

    def restore(self, records: Iterable[JournalRecord]) -> None:
        for _, done, threads, length, planned in records:
            self.number = self.done = self._written = done
            self.threads, self.length, self.planned = threads, length, dict(json.loads(planned))
