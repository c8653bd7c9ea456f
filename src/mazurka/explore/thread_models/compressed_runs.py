"""Runs kept small: what explorers that learn from runs need of them, as bytes.

Cost: some ten bytes a step, and a few microseconds to pack or unpack one.
"""

from __future__ import annotations

import marshal
import zlib
from collections.abc import Sequence
from typing import Any, Final

from mazurka.program.protocol import Access, Blocked, Choice, Divergence, Failure, FailureKind, Run, Step
from mazurka.trace.event import Op
from mazurka.trace.ids import PointIndex

#: Failures that say that the threads left can't move.
STUCK: Final = frozenset({FailureKind.DEADLOCK, FailureKind.BLOCKED, FailureKind.LIVELOCK})


class CompressedRun:
    """A run, packed."""

    __slots__ = ("content",)

    def __init__(self, content: bytes) -> None:
        self.content = content

    @classmethod
    def of(cls, run: Run) -> CompressedRun:
        return cls(zlib.compress(marshal.dumps(_plain(run)), 1))

    def run(self) -> Run:
        """What is needed of the run."""
        tasks, log, choices, blocked, first, daemons, stuck, left, truncated, settled, diverged, limited = (
            marshal.loads(zlib.decompress(self.content))
        )
        run = Run(
            tasks,
            [Step(t, Op(op), target, site, p, v, _accesses(more)) for t, op, target, site, p, v, more in log],
            [Choice(*choice) for choice in choices],
        )
        run.blocked = [Blocked(task, Op(op), target, site, *rest) for task, op, target, site, *rest in blocked]
        run.first, run.daemons, run.truncated, run.settled, run.limited = first, daemons, truncated, settled, limited
        if stuck:
            run.failures.append(Failure(FailureKind.DEADLOCK, "", "", None))
        if left:
            run.failures.append(Failure(FailureKind.EXIT, "", left, None))
        if diverged:
            run.divergence = Divergence(PointIndex(0), "", "")
        return run


class Record:
    """A run that was learnt from."""

    __slots__ = ("idle", "noticed", "objects", "packed", "refused", "scouted")

    def __init__(self, packed: CompressedRun, idle: int, refused: str) -> None:
        self.packed = packed
        self.idle = idle
        self.refused = refused  # the thread that was to move at its end, and could not
        self.scouted = False
        self.objects: dict[int, int] = {}  # the run's numbers of objects -> ours
        self.noticed: int | None = None  # the steps of its log that are moves, as bits, if it has been followed


def _plain(run: Run) -> tuple[Any, ...]:
    return (
        run.tasks,
        [(s.task, int(s.op), s.target, s.site, s.point, s.value, _plain_accesses(s.more)) for s in run.log],
        [(choice.point, choice.chosen, choice.enabled) for choice in run.choices],
        [(b.task, int(b.op), b.target, b.site, b.repeats, b.point) for b in run.blocked],
        run.first,
        run.daemons,
        any(failure.kind in STUCK for failure in run.failures),
        next((failure.thread for failure in run.failures if failure.kind is FailureKind.EXIT), ""),
        run.truncated,
        run.settled,
        run.divergence is not None,
        run.limited or bool(run.untracked or run.uncontrolled),
    )


def _plain_accesses(more: Sequence[Access]) -> tuple[tuple[int, Any, Any], ...]:
    return tuple([(int(access.op), access.target, access.value) for access in more])


def _accesses(plain: Sequence[tuple[int, Any, Any]]) -> tuple[Access, ...]:
    return tuple([Access(Op(op), target, value) for op, target, value in plain])
