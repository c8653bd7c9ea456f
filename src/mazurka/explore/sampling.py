"""Strategies that sample executions: they never finish, and prove nothing, but find deep bugs quickly.

``pct`` is the randomised scheduler of Burckhardt, Kothari, Musuvathi and Nagarakatte (ASPLOS 2010): threads get
random priorities, the enabled one with the highest moves, and at d-1 random points the thread about to move falls below
all others. In a program of n threads and k points it finds a bug of depth d with probability at least 1/(n k^(d-1)) per
run. The length of runs is learnt from runs, in *rounds* of 1, 1, 2, 4, 8 ... runs: the runs of one round use the
lengths of the rounds before.

Unknown inputs are drawn, too: small numbers, the ends and the middle of the range, any numbers.

Runs are numbered, and a run's number (with the seed) determines it. The remaining work are ranges of numbers, the
lowest first, so the runs are the same for any number of processes.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from mazurka.explore.strategy import Estimate, JournalRecord, Lease, Seed, Strategy, StrategySettings
from mazurka.program.protocol import Plan, Run, TailPolicy
from mazurka.program.source_analysis import SourceAnalysis

#: A number that no search reaches.
_NEVER: Final = 1 << 62

#: The least and the largest number of runs in a lease. Numbers that a worker does not finish come back.
_LEAST: Final = 256
_MOST: Final = 8192


class RandomWalk(Strategy):
    """The ``random`` strategy: at each point every enabled thread is equally likely to move.

    ``ranges`` are the numbers to run, ascending and disjoint, as [first, beyond); the last has no end.
    """

    name = "random"
    exhaustive = False
    divisible = True
    draws_inputs = True  # whether the plans after the first one have unknown inputs drawn

    @classmethod
    def make(cls, settings: StrategySettings, source: SourceAnalysis) -> Strategy:
        return cls(settings.seed)

    def __init__(self, seed: int = 0) -> None:
        self.seed = seed
        self.ranges: list[tuple[int, int]] = [(0, _NEVER)]
        self.taken: set[int] = set()
        self.granted: dict[int, tuple[int, int]] = {}
        self.done = 0
        self.beyond = _NEVER  # numbers from here on are not wanted
        self.portion = _LEAST

    def plan(self, number: int) -> Plan:
        """The plan of the ``number``-th execution; it depends on the random seed and this number only."""
        return Plan(tail=TailPolicy.RANDOM, seed=self.seed + number)

    def ready(self) -> int:
        """The first number that can't be run yet."""
        return self.beyond

    # -- the protocol -------------------------------------------------------------------------------------------------

    def next_seed(self) -> Seed | None:
        found = self._next(1)
        if found is None:
            return None
        number = found[0]
        self.taken.add(number)
        plan = self.plan(number)
        return Seed(number, plan._replace(drawn=self.seed + number) if number and self.draws_inputs else plan)

    def _next(self, most: int) -> tuple[int, int] | None:
        """Take the lowest range of at most ``most`` numbers to run."""
        if not self.ranges or self.ranges[0][0] >= self.ready():
            return None
        first, beyond = self.ranges[0]
        end = min(beyond, first + most, self.ready())
        if end == beyond:
            del self.ranges[0]
        else:
            self.ranges[0] = (end, beyond)
        return first, end

    def observe(self, seed: Seed, run: Run) -> None:
        self.taken.discard(seed.number)
        self.done += 1

    def estimate(self) -> Estimate:
        return Estimate(self.done, 0, None)

    def incompleteness_reason(self) -> str:
        return "it samples"

    def prune_from(self, number: int) -> bool:
        self.beyond = min(self.beyond, number)
        return bool(self.granted) or bool(self.ranges and self.ranges[0][0] < self.beyond)

    # -- journal ------------------------------------------------------------------------------------------------------

    def records(self) -> list[JournalRecord]:
        return [("reset", self.done), *(("range", *each) for each in self.unfinished())]

    def unfinished(self) -> list[tuple[int, int]]:
        """The ranges not yet done, leased ones included."""
        return sorted([*self.ranges, *self.granted.values(), *((number, number + 1) for number in self.taken)])

    def restore(self, records: Iterable[JournalRecord]) -> None:
        for record in records:
            match record:
                case ("reset", done):
                    self.ranges.clear()
                    self.done = done
                case ("range", first, beyond):
                    self.ranges.append((first, beyond))

    def grant_leases(self, parts: int) -> list[Lease]:
        leases: list[Lease] = []
        left = sum(max(0, min(beyond, self.ready()) - first) for first, beyond in self.ranges)
        portion = min(self.portion, -(-left // parts))
        while len(leases) < parts and (numbers := self._next(portion)) is not None:
            self.granted[numbers[0]] = numbers
            leases.append(Lease(numbers[0], [("reset", 0), ("range", *numbers)]))
        return leases

    def settle_lease(self, number: int, records: Iterable[JournalRecord] | None) -> None:
        granted = self.granted.pop(number)
        left = [granted] if records is None else [(record[1], record[2]) for record in records if record[0] == "range"]
        if records is not None and not left:
            self.portion = min(2 * self.portion, _MOST)
        self.done += granted[1] - granted[0] - sum(beyond - first for first, beyond in left)
        self.ranges = sorted([*self.ranges, *left])


class Priorities(RandomWalk):
    """The ``pct`` strategy; ``depth`` is the assumed number of ordering constraints of a bug."""

    name = "pct"

    @classmethod
    def make(cls, settings: StrategySettings, source: SourceAnalysis) -> Strategy:
        return cls(settings.seed, settings.depth)

    def __init__(self, seed: int = 0, depth: int = 3) -> None:
        super().__init__(seed)
        self.depth = max(depth, 1)
        self.threads = 1  # the most threads in one run, as ``points`` are the most points
        self.length = 1
        self.round = 1  # the first number beyond this round
        self.planned = 100  # the assumed length of this round's runs

    def plan(self, number: int) -> Plan:
        """PCT: change points are drawn from the length assumed for this round."""
        return Plan(tail=TailPolicy.PCT, seed=self.seed + number, changes=self.depth - 1, length=self.planned)

    def ready(self) -> int:
        """The first number beyond this round: its runs share one assumed length, so it ends before the next one
        begins."""
        if self.ranges and self.ranges[0][0] >= self.round and not self.granted and not self.taken:
            self.round, self.planned = 2 * self.round, self.length
        return min(self.round, self.beyond)

    def observe(self, seed: Seed, run: Run) -> None:
        super().observe(seed, run)
        self.threads = max(self.threads, len(run.tasks))
        self.length = max(self.length, run.passed())

    def bound_of_one(self) -> float:
        """The least probability that one run finds a given bug of the assumed depth."""
        return float(1.0 / (self.threads * self.length ** (self.depth - 1)))

    def summary(self) -> str:
        if not self.done:
            return ""
        n, k, d = self.threads, self.length, self.depth
        return (
            f"each run finds a bug of depth {d} with probability at least 1/({n} * {k}^{d - 1}) = "
            f"{self.bound_of_one():.3g}"
        )

    def records(self) -> list[JournalRecord]:
        return [*super().records(), ("size", self.threads, self.length, self.round, self.planned)]

    def restore(self, records: Iterable[JournalRecord]) -> None:
        kept = list(records)
        super().restore(kept)
        for record in kept:
            if record[0] == "size":
                self.threads, self.length, self.round, self.planned = record[1:]

    def grant_leases(self, parts: int) -> list[Lease]:
        leases = super().grant_leases(parts)
        for lease in leases:
            lease.records.append(("size", 1, 1, self.round, self.planned))
        return leases

    def settle_lease(self, number: int, records: Iterable[JournalRecord] | None) -> None:
        kept = None if records is None else list(records)
        super().settle_lease(number, kept)
        for record in kept or ():
            if record[0] == "size":
                self.threads, self.length = max(self.threads, record[1]), max(self.length, record[2])
