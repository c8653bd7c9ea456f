"""Strategies that sample: they never finish, and prove nothing, but reach deep quickly.

``pct`` is the randomised scheduler of Burckhardt, Kothari, Musuvathi and Nagarakatte (ASPLOS 2010): threads get
random priorities, the highest that can moves, and at d-1 random points the one about to move falls below all others.
In a program of n threads and k points it finds a bug of depth d with probability at least 1/(n k^(d-1)) per run.
"""

from __future__ import annotations

from collections.abc import Iterable

from mazurka.explore.strategy import Estimate, Row, Seed
from mazurka.program.protocol import Continuation, Plan, Run


class RandomWalk:
    """The ``random`` strategy: at each point every thread that can move is equally likely to."""

    name = "random"
    exhaustive = False

    def __init__(self, seed: int = 0) -> None:
        self.seed = seed
        self.handed_out = 0
        self.done = 0
        self.journal: list[Row] = []

    def plan(self, number: int) -> Plan:
        return Plan(then=Continuation.RANDOM, seed=self.seed + number)

    def take(self) -> Seed | None:
        number = self.handed_out
        self.handed_out += 1
        return Seed(number, self.plan(number))

    def give(self, seed: Seed, run: Run) -> None:
        self.done += 1
        self.journal.append(("done", seed.number))

    def estimate(self) -> Estimate:
        return Estimate(self.done, 0, None)

    def note(self) -> str:
        return ""

    def doubt(self) -> str:
        return "it samples"

    def rows(self) -> list[Row]:
        rows, self.journal = self.journal, []
        return rows

    def restore(self, rows: Iterable[Row]) -> None:
        for _, number in (row for row in rows if row[0] == "done"):
            self.done += 1
            self.handed_out = max(self.handed_out, number + 1)


class Priorities(RandomWalk):
    """The ``pct`` strategy; ``depth`` is the number of ordering constraints a bug is taken to need."""

    name = "pct"

    def __init__(self, seed: int = 0, depth: int = 3) -> None:
        super().__init__(seed)
        self.depth = max(depth, 1)
        self.threads = 1
        self.length = 1

    def plan(self, number: int) -> Plan:
        length = self.length if self.done else 100
        return Plan(then=Continuation.PCT, seed=self.seed + number, changes=self.depth - 1, length=length)

    def give(self, seed: Seed, run: Run) -> None:
        super().give(seed, run)
        threads, length = len(run.tasks), sum(step.point for step in run.log)
        if threads > self.threads or length > self.length:
            self.threads, self.length = max(self.threads, threads), max(self.length, length)
            self.journal.append(("size", self.threads, self.length))

    def bound(self) -> float:
        """The least probability that one run finds a given bug of the assumed depth."""
        return float(1.0 / (self.threads * self.length ** (self.depth - 1)))

    def note(self) -> str:
        if not self.done:
            return ""
        n, k, d = self.threads, self.length, self.depth
        return f"each run finds a bug of depth {d} with probability at least 1/({n} * {k}^{d - 1}) = {self.bound():.3g}"

    def restore(self, rows: Iterable[Row]) -> None:
        kept = list(rows)
        super().restore(kept)
        for row in kept:
            if row[0] == "size":
                self.threads, self.length = row[1], row[2]
