"""Every interleaving of points, depth first: the reference for all other strategies.

Invariant: seeds differ from a finished run in their last entry only; each interleaving has exactly one seed, so none is
executed twice. A seed refers to the schedule of that run, which all its seeds share, instead of a prefix of its own.

The stack is the whole state of the search: it is written to the journal as a whole. It is sorted by the seeds' shares
of the tree, the smallest on top, so that every n-th seed, a lease, is a fair part. Subtrees that have been begun are
finished before larger ones, so the stack is no larger than the program's runs are long.

The size of the whole tree is guessed by Knuth's estimator (Math. Comp. 29, 1975): a run that made decisions among b1,
b2, ... threads stands for b1*b2*... runs. It is averaged over the runs so far, each weighted by the new part of the
tree that it shows (with depth-first order early runs resemble each other, so the guess is coarse at first).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from mazurka.explore.strategy import Estimate, JournalRecord, Lease, Seed, Strategy
from mazurka.program.protocol import Choice, Plan, Run


class Open(NamedTuple):
    """An interleaving to execute: as in ``schedule`` up to ``point``, where ``thread`` moves ("": the first of all)."""

    schedule: tuple[str, ...]
    point: int
    thread: str
    share: float  # of the tree

    def prefix(self) -> tuple[str, ...]:
        """The prefix to execute; the root's is empty."""
        return (*self.schedule[: self.point], self.thread) if self.thread else ()


class DepthFirst(Strategy):
    """The ``dfs`` strategy."""

    name = "dfs"
    exhaustive = True
    divisible = True

    def __init__(self) -> None:
        self.stack = [Open((), 0, "", 1.0)]
        self.taken: dict[int, Open] = {}
        self.granted: dict[int, list[Open]] = {}
        self.next_number = 0
        self.done = 0
        self.unrepeatable = 0  # prefixes of earlier runs that could not be followed again
        self.covered = 0.0  # the share of the tree that is done, if decisions are independent

    def next_seed(self) -> Seed | None:
        if not self.stack:
            return None
        number = self.next_number
        self.next_number += 1
        taken = self.taken[number] = self.stack.pop()
        return Seed(number, Plan(taken.prefix()))

    def observe(self, seed: Seed, run: Run) -> None:
        share = self.taken.pop(seed.number).share
        self.done += 1
        if run.divergence is not None:
            self.covered += share
            self.unrepeatable += not run.divergence.harmless
            return
        schedule, tasks, push = run.schedule(), run.tasks, self.stack.append
        for point, chosen, enabled in _beyond(run.choices, len(seed.plan.prefix)):
            share /= len(enabled)
            for task in enabled:
                if task != chosen:
                    push(Open(schedule, point, tasks[task], share))
        self.covered += share

    def estimate(self) -> Estimate:
        waiting = len(self.stack) + sum(map(len, self.granted.values()))
        total = self.done / self.covered if self.covered and waiting else float(self.done) if self.done else None
        return Estimate(self.done, waiting, total)

    def incompleteness_reason(self) -> str:
        if not self.unrepeatable:
            return ""
        return f"the program did not repeat itself: {self.unrepeatable} schedules could not be followed again"

    # -- journal ------------------------------------------------------------------------------------------------------

    def records(self) -> list[JournalRecord]:
        out = [seed for lease in self.granted.values() for seed in lease]
        return self._records([*out, *self.taken.values(), *self.stack], self.done, self.unrepeatable, self.covered)

    def _records(self, stack: list[Open], done: int, unrepeatable: int, covered: float) -> list[JournalRecord]:
        seeds: list[JournalRecord] = [("seed", " ".join(seed.prefix()), seed.share) for seed in stack]
        return [("reset", done, unrepeatable, covered), *seeds]

    def restore(self, records: Iterable[JournalRecord]) -> None:
        for record in records:
            match record:
                case ("reset", done, unrepeatable, covered):
                    self.stack.clear()
                    self.done, self.unrepeatable, self.covered = done, unrepeatable, covered
                case ("seed", prefix, share):
                    *before, last = prefix.split() or [""]
                    self.stack.append(Open(tuple(before), len(before), last, share))

    def grant_leases(self, parts: int) -> list[Lease]:
        self.stack.sort(key=_share, reverse=True)
        shares = [self.stack[part::parts] for part in range(parts)]
        self.stack = []
        leases = []
        for seeds in filter(None, shares):
            self.granted[self.next_number] = seeds
            leases.append(Lease(self.next_number, self._records(seeds, 0, 0, 0.0)))
            self.next_number += 1
        return leases

    def settle_lease(self, number: int, records: Iterable[JournalRecord] | None) -> None:
        seeds = self.granted.pop(number)
        if records is None:
            self.stack += seeds
            return
        worker = DepthFirst()
        worker.restore(records)
        self.stack += worker.stack
        self.done += worker.done
        self.unrepeatable += worker.unrepeatable
        self.covered += worker.covered


def _beyond(choices: list[Choice], length: int) -> list[Choice]:
    """The choices that a prefix of this length did not make: the last ones."""
    first = len(choices)
    while first and choices[first - 1].point >= length:
        first -= 1
    return choices[first:]


def _share(seed: Open) -> float:
    return seed.share
