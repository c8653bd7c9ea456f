"""Executions made for a strategy in another process: plans go out as records, and their runs come back as records.

Strategies use this if their knowledge can't be divided but their runs can be made in any process.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import field
from typing import Final, NamedTuple

from mazurka.explore.strategy import JournalRecord, Seed
from mazurka.explore.thread_models.compressed_runs import CompressedRun
from mazurka.lazy_dataclass import dataclass
from mazurka.program.protocol import Divergence, Plan, Run

REMOTE_TASK: Final = "remote_task"
_BACK: Final = "back"


class Back(NamedTuple):
    """The run of a plan; ``failed`` says whether it had a failure, which a packed run does not contain."""

    number: int
    run: Run
    failed: bool


def remote_task(seed: Seed) -> JournalRecord:
    """A seed as a record."""
    return (REMOTE_TASK, seed.number, seed.plan.prefix)


def backs(records: Iterable[JournalRecord]) -> Iterator[Back]:
    """The runs made elsewhere, from their records."""
    for record in records:
        match record:
            case ("back", number, packed, diverged, failed, has_loops):
                run = CompressedRun(packed).run()
                run.has_loops = has_loops
                if diverged is not None:
                    index, harmless, waits = diverged
                    run.divergence = Divergence(index, "", "", harmless, waits)
                yield Back(number, run, failed)


@dataclass(slots=True)
class RemoteTasks:
    """Seeds to execute, and the records of their runs."""

    seeds: deque[Seed] = field(default_factory=deque)
    done: list[JournalRecord] = field(default_factory=list)

    def add(self, number: int, prefix: tuple[str, ...]) -> None:
        """Queue a prefix under the number that it has in the owner's search."""
        self.seeds.append(Seed(number, Plan(prefix, values=True)))

    def next_seed(self) -> Seed | None:
        """The next seed in the order of arrival; None if all are taken."""
        return self.seeds.popleft() if self.seeds else None

    def observe(self, seed: Seed, run: Run) -> None:
        """Keep a run, compressed, to be sent back."""
        astray = run.divergence
        diverged = None if astray is None else (astray.index, astray.harmless, astray.waits)
        packed = CompressedRun.of(run).content
        self.done.append((_BACK, seed.number, packed, diverged, bool(run.failures), run.has_loops))

    def records(self) -> list[JournalRecord]:
        """The runs made since the last call, as journal records."""
        records, self.done = self.done, []
        return records
