"""Every interleaving of points, depth first: the reference for all cleverer strategies.

Invariant: seeds are prefixes that differ from a finished run in their last entry only; each interleaving has exactly
one of them, so none is run twice. The size of the whole tree is guessed by Knuth's estimator (Math. Comp. 29, 1975):
a run that made decisions among b1, b2, ... threads stands for b1*b2*... runs; here averaged over the runs so far,
each weighed by how much of the tree it shows first (with depth-first order early runs resemble each other, so the
guess is coarse at first).
"""

from __future__ import annotations

from collections.abc import Iterable

from mazurka.explore.strategy import Estimate, Row, Seed
from mazurka.program.protocol import Plan, Run


class DepthFirst:
    """The ``dfs`` strategy."""

    name = "dfs"
    exhaustive = True

    def __init__(self) -> None:
        self.stack: list[tuple[int, tuple[str, ...], float]] = [(0, (), 1.0)]  # number, prefix, share of the tree
        self.taken: dict[int, float] = {}
        self.next_number = 1
        self.done = 0
        self.unrepeatable = 0  # prefixes of earlier runs that could not be followed again
        self.covered = 0.0  # the share of the tree behind us, decisions taken to be independent
        self.journal: list[Row] = [("seed", 0, "", 1.0)]

    def take(self) -> Seed | None:
        if not self.stack:
            return None
        number, prefix, share = self.stack.pop()
        self.taken[number] = share
        return Seed(number, Plan(prefix))

    def give(self, seed: Seed, run: Run) -> None:
        share = self.taken.pop(seed.number)
        self.done += 1
        if run.divergence is not None:
            self.covered += share
            self.unrepeatable += not run.divergence.harmless
            self.journal.append(("astray", seed.number, int(not run.divergence.harmless)))
            return
        self.journal.append(("done", seed.number))
        schedule = run.schedule()
        length = len(seed.plan.prefix)
        for choice in run.choices:
            if choice.point < length:
                continue
            share /= len(choice.enabled)
            for task in choice.enabled:
                if task != choice.chosen:
                    self._push((*schedule[: choice.point], run.tasks[task]), share)
        self.covered += share

    def _push(self, prefix: tuple[str, ...], share: float) -> None:
        self.stack.append((self.next_number, prefix, share))
        self.journal.append(("seed", self.next_number, " ".join(prefix), share))
        self.next_number += 1

    def estimate(self) -> Estimate:
        total = self.done / self.covered if self.covered and self.stack else float(self.done) if self.done else None
        return Estimate(self.done, len(self.stack), total)

    def note(self) -> str:
        return ""

    def doubt(self) -> str:
        if not self.unrepeatable:
            return ""
        return f"the program did not repeat itself: {self.unrepeatable} schedules could not be followed again"

    def rows(self) -> list[Row]:
        rows, self.journal = self.journal, []
        return rows

    def restore(self, rows: Iterable[Row]) -> None:
        open_seeds: dict[int, tuple[tuple[str, ...], float]] = {}
        latest = -1
        for row in rows:
            match row:
                case ("seed", number, prefix, share):
                    open_seeds[number] = (tuple(prefix.split()), share)
                    latest = max(latest, number)
                case ("done", number) | ("astray", number, _):
                    del open_seeds[number]
                    self.done += 1
                    self.unrepeatable += row[-1] if row[0] == "astray" else 0
        if latest < 0:
            return
        self.stack = [(number, *seed) for number, seed in sorted(open_seeds.items())]
        self.covered = max(0.0, 1.0 - sum(share for _, _, share in self.stack))
        self.next_number = latest + 1
        self.journal.clear()
