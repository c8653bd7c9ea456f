"""A failing run up to its failure, indexed for explanations.

Invariants: indexes are positions in :attr:`Run.log`; only steps before the failure are seen, except through
:meth:`Trail.later_writer`. Cost: linear in the run's accesses times its threads, and a binary search per question.
"""

from __future__ import annotations

import sys
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from itertools import pairwise
from typing import Final

from mazurka.lazy_dataclass import dataclass
from mazurka.program.memory import owner_of
from mazurka.program.protocol import Failure, Run, Step
from mazurka.replay.switches import preemptive_steps, steps_until
from mazurka.trace.event import READS, WRITES
from mazurka.trace.ids import ThreadIndex
from mazurka.trace.targets import Kind, Target, kind_of, of_kinds, orders_threads


@dataclass(frozen=True, slots=True)
class TrailAccess:
    """One access by one step."""

    index: int
    task: ThreadIndex
    reads: bool
    writes: bool


_is_queued: Final = of_kinds(Kind.QUEUED)

_NEVER: Final = TrailAccess(sys.maxsize, ThreadIndex(-1), False, True)


@dataclass(frozen=True, slots=True)
class Gap:
    """A thread stopped after step ``before`` and went on with step ``after``; others moved in between."""

    task: ThreadIndex
    before: int
    after: int
    preemptive: bool


@dataclass(frozen=True, slots=True)
class Interference:
    """Accesses to one target around a gap: the thread's last one before it, those of others inside, the thread's next
    one."""

    gap: Gap
    target: Target
    before: TrailAccess | None
    inside: tuple[TrailAccess, ...]
    after: TrailAccess | None

    @property
    def unserialisable(self) -> bool:
        """Whether no order without the gap, in which the thread is not interrupted, gives all these reads their
        values."""
        before, after = self.before, self.after
        if before is None or after is None:
            return False
        others_write = any(touch.writes for touch in self.inside)
        others_read = any(touch.reads for touch in self.inside)
        stale = before.reads and others_write
        overwritten = before.writes and others_write and after.reads
        half_done = before.writes and others_read and after.writes
        return stale or overwritten or half_done


def _index(touch: TrailAccess) -> int:
    return touch.index


def accesses(step: Step) -> Iterator[tuple[Target, bool, bool]]:
    """Each target that a step touches, and whether it reads and writes it."""
    yield step.target, READS[step.op], WRITES[step.op]
    for access in step.more:
        yield access.target, READS[access.op], WRITES[access.op]


class Trail:
    """The indexes of a run."""

    def __init__(self, run: Run, failure: Failure) -> None:
        self.run = run
        self.failure = failure
        self.end = steps_until(run, failure)
        self.task = ThreadIndex(run.tasks.index(failure.thread) if failure.thread in run.tasks else 0)
        self.steps_of: dict[int, list[int]] = {}
        self._own: dict[tuple[Target, int], list[TrailAccess]] = {}
        self._later: dict[
            tuple[Target, int], TrailAccess
        ] = {}  # each thread's first write of each target after the failure
        self._writes: dict[Target, list[TrailAccess]] = {}
        self._users: dict[Target, set[int]] = {}
        self._owners = [ThreadIndex(run.tasks.index(owner_of(name))) for name in run.tasks]
        for index, step in enumerate(run.log):
            task = self._owners[step.task]
            if index < self.end:
                self.steps_of.setdefault(task, []).append(index)
            for target, reads, writes in accesses(step):
                touch = TrailAccess(index, task, reads, writes)
                if index < self.end:
                    self._own.setdefault((target, task), []).append(touch)
                    self._users.setdefault(target, set()).add(task)
                if writes:
                    self._writes.setdefault(target, []).append(touch)
                    if index >= self.end:
                        self._later.setdefault((target, task), touch)

    def task_of(self, index: int) -> ThreadIndex:
        """The thread of a step; for a store's arrival, the thread that stored."""
        return self._owners[self.run.log[index].task]

    def is_shared(self, target: Target) -> bool:
        """Whether the target is data, or an item in a queue, that several threads touched before the failure, one of
        them writing."""
        if (orders_threads(target) and not _is_queued(target)) or len(self._users.get(target, ())) < 2:
            return False
        return self._writes.get(target, [_NEVER])[0].index < self.end

    def own(self, target: Target, task: ThreadIndex) -> list[TrailAccess]:
        """A thread's accesses to a target before the failure, in order."""
        return self._own.get((target, task), [])

    def source(self, target: Target, index: int) -> TrailAccess | None:
        """The write that a read of ``target`` at step ``index`` sees; None: the initial value."""
        writes = self._writes.get(target, [])
        at = bisect_left(writes, index, key=_index)
        return writes[at - 1] if at else None

    def last_writes(self, target: Target, index: int) -> list[TrailAccess]:
        """The writes of ``target`` ahead of step ``index`` that show in which order they came: those that replace a
        value without reading it, or add to a list."""
        writes = self._writes.get(target, [])
        ordered = [touch for touch in writes[: bisect_left(writes, index, key=_index)] if not touch.reads]
        adds = kind_of(target) is Kind.STRUCTURE and self.run.names.get(target, "").endswith("(elements)")
        return writes[: bisect_left(writes, index, key=_index)] if adds else ordered

    def later_writer(self, target: Target, task: int) -> TrailAccess | None:
        """The first write of the target, if it is data, by another thread after the failure."""
        if orders_threads(target):
            return None
        writes = self._writes.get(target, [])
        late = writes[bisect_left(writes, self.end, key=_index) :]
        return next((touch for touch in late if touch.task != task), None)

    def next_writer(self, target: Target, index: int) -> TrailAccess | None:
        """The first write of the target, if it is data, after step ``index`` and by another thread."""
        if orders_threads(target):
            return None
        writes, task = self._writes.get(target, []), self.task_of(index)
        found = writes[bisect_right(writes, index, key=_index) :][:1]
        return next((touch for touch in found if touch.task != task), None)

    def will_write(self, target: Target, task: int) -> bool:
        """Whether a thread wrote the target, if it is data, after the failure: it had been stopped before its write."""
        return not orders_threads(target) and (target, task) in self._later

    def gaps(self) -> list[Gap]:
        """Every period in which a thread was stopped while others moved, in the order in which they began."""
        forced = sorted(preemptive_steps(self.run, self.end))
        found = []
        for task, steps in self.steps_of.items():
            for before, after in pairwise(steps):
                if after > before + 1:
                    first = bisect_right(forced, before)
                    preemptive = first < len(forced) and forced[first] < after and self._stopped_by(forced[first], task)
                    found.append(Gap(ThreadIndex(task), before, after, preemptive))
        return sorted(found, key=lambda gap: (gap.before, gap.after))

    def _stopped_by(self, index: int, task: int) -> bool:
        """Whether the last point before ``index`` was one of this thread."""
        log = self.run.log
        return next((self.task_of(at) == task for at in range(index - 1, -1, -1) if log[at].point), False)

    def interferences(self) -> list[Interference]:
        """Conflicting accesses at gaps: others accessed, while a thread was stopped, a target that it accessed before
        or after."""
        found = []
        for gap in self.gaps():
            inside: dict[Target, list[TrailAccess]] = {}
            for index in range(gap.before + 1, gap.after):
                step = self.run.log[index]
                for target, reads, writes in accesses(step):
                    if not orders_threads(target):
                        inside.setdefault(target, []).append(TrailAccess(index, self.task_of(index), reads, writes))
            for target, touches in inside.items():
                interference = self._meet(gap, target, tuple(touches))
                if interference is not None:
                    found.append(interference)
        return found

    def _meet(self, gap: Gap, target: Target, inside: tuple[TrailAccess, ...]) -> Interference | None:
        own = self.own(target, gap.task)
        at = bisect_right(own, gap.before, key=_index)
        before = own[at - 1] if at else None
        after = own[at] if at < len(own) else None
        written = any(touch.writes for touch in inside)
        if before is not None and not (written or before.writes):
            before = None
        if after is not None and not (written or after.writes):
            after = None
        if before is None and after is None:
            return None
        return Interference(gap, target, before, inside, after)
