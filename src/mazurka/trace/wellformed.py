"""The semantics of a trace's operations, and the violations of a trace that contradicts it.

- A thread that is forked in the trace begins after that, once; it does nothing before it begins, nor after it ends.
- A join comes after the end of the thread joined, if that thread shows in the trace.
- A lock that is taken is free, or is the taker's own (re-entrant); a lock that is given back was taken, by any
  thread, or was held before the trace began. An attempt that failed (a READ of a lock, with a REQUEST) found it held.
- A thread that WAITs on a condition queues up there. A notification wakes the thread that came first (NOTIFY_ALL: all),
  writing one target, a *wake-up*, for each in turn. A thread that gave up a lock to wait takes it back once woken,
  which is reading its own wake-up, in the same step or before; or else leaves the queue in doing so (an RMW of the
  condition), its time having run out.
- The rows of one step belong to one thread and are consecutive.

A :class:`Walk` accepts steps in any order, so that the same rules hold for a reordering as for the trace itself; after
the last step it has the living threads, the holders of locks and the threads that wait. Cost: one pass.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Final

from mazurka.lazy_dataclass import dataclass
from mazurka.trace.event import Op
from mazurka.trace.targets import Kind, kind_of
from mazurka.trace.trace import Trace

_LOCKING: Final = frozenset({Op.ACQUIRE, Op.RELEASE})
_LIVING: Final = frozenset({Op.FORK, Op.BEGIN, Op.END, Op.JOIN})
_NOTIFYING: Final = frozenset({Op.NOTIFY, Op.NOTIFY_ALL})


@dataclass(frozen=True, slots=True)
class Defect:
    """A violation of the semantics of operations: its row, and a description."""

    row: int
    description: str


def defects(trace: Trace) -> list[Defect]:
    """The violations in a trace; none in a well-formed one."""
    walk = Walk(trace)
    found, before = [], -1
    for step, rows in groupby(range(len(trace)), trace.step.__getitem__):
        grouped = list(rows)
        if step < before:
            found.append(Defect(grouped[0], f"step {step} comes after step {before}"))
        before = step
        found += [Defect(grouped[0], text) for text in walk.defects_of(grouped)]
    return found


class Walk:
    """The state of threads, locks and conditions between two steps. Threads and targets are numbers of the trace."""

    def __init__(self, trace: Trace) -> None:
        self.trace = trace
        self.forked: set[str] = set()
        self.begun: set[str] = set()
        self.ended: set[str] = set()
        self.holders: dict[int, tuple[int, int]] = {}  # lock -> thread, depth
        self.met: set[int] = set()  # locks taken or given back so far
        self.parked: dict[int, list[int]] = {}  # condition -> threads, in the order in which they came
        self.woken: dict[int, int] = {}  # wake-up -> the thread it is for
        self.asleep: dict[int, bool] = {}  # threads that gave their lock up to wait -> whether their time has run out
        self.born = {
            trace.targets[target][-1] for op, target in zip(trace.op, trace.target, strict=True) if op == Op.FORK
        }

    def defects_of(self, rows: Sequence[int]) -> Iterator[str]:
        """Take one step, given by its rows; yields its violations."""
        trace = self.trace
        if len({trace.thread[row] for row in rows}) > 1:
            yield f"step {trace.step[rows[0]]} belongs to two threads"
        thread = trace.thread[rows[0]]
        accesses = [(Op(trace.op[row]), trace.target[row]) for row in rows]
        requested = {target for op, target in accesses if op is Op.REQUEST}
        yield from self._thread(thread, accesses, requested)
        if any(op in _NOTIFYING for op, _ in accesses):
            yield from self._notify(accesses)
        else:
            yield from self._resume(thread, accesses)
        for op, target in accesses:
            if op in _LOCKING or target in requested:
                yield from self._lock(thread, op, target, target in requested)
            if op is Op.WAIT:
                self.parked.setdefault(target, []).append(thread)
                if any(other is Op.RELEASE for other, _ in accesses):
                    self.asleep[thread] = False

    # -- the present state --------------------------------------------------------------------------------------------

    def holder(self, lock: int) -> int | None:
        """The thread that holds a lock after the steps so far; None if it is free."""
        return self.holders[lock][0] if lock in self.holders else None

    def is_parked(self, thread: int) -> bool:
        """Whether the thread waits on a condition, no thread has woken it, and its timeout has not fired."""
        return self.asleep.get(thread) is False

    def living(self) -> list[int]:
        """The threads that have been started, or are never started in the trace, and have not ended."""
        return [
            number
            for number, name in enumerate(self.trace.threads)
            if name not in self.ended and (name in self.forked or name not in self.born)
        ]

    # -- the rules ----------------------------------------------------------------------------------------------------

    def _thread(self, thread: int, accesses: list[tuple[Op, int]], requested: set[int]) -> Iterator[str]:
        name = self.trace.threads[thread]
        if name in self.ended:
            yield f"thread {name} goes on after its end"
        if name in self.born and name not in self.begun and accesses[0][0] is not Op.BEGIN:
            yield f"thread {name} does something before it begins"
        for op, target in accesses:
            if op not in _LIVING and target not in requested:
                continue
            other = self.trace.targets[target]
            match op:
                case Op.FORK:
                    if other[-1] in self.forked or other[-1] in self.begun:
                        yield f"thread {other[-1]} is started twice, or after it began"
                    self.forked.add(other[-1])
                case Op.BEGIN:
                    if name in self.begun:
                        yield f"thread {name} begins twice"
                    elif name in self.born and name not in self.forked:
                        yield f"thread {name} begins before it is started"
                    self.begun.add(name)
                case Op.END:
                    self.ended.add(name)
                case Op.READ:
                    if target in requested and kind_of(other) is Kind.THREAD and other[-1] in self.ended:
                        yield f"thread {other[-1]} has ended, but an attempt to join it fails"
                case Op.JOIN:
                    if other[-1] in self.trace.threads and other[-1] not in self.ended:
                        yield f"thread {other[-1]} is joined before its end"

    def _lock(self, thread: int, op: Op, target: int, attempted: bool) -> Iterator[str]:
        trace = self.trace
        if op is Op.ACQUIRE:
            holder, depth = self.holders.get(target, (thread, 0))
            if holder != thread:
                yield f"{trace.targets[target]} is taken while thread {trace.threads[holder]} has it"
            self.holders[target] = (thread, depth + 1)
        elif op is Op.RELEASE:
            if target in self.holders:
                holder, depth = self.holders.pop(target)
                if depth > 1:
                    self.holders[target] = (holder, depth - 1)
            elif target in self.met:
                yield f"{trace.targets[target]} is released though no thread holds it"
        elif op is Op.READ and attempted and target in self.met and target not in self.holders:
            yield f"{trace.targets[target]} is free, but an attempt to take it fails"
        if op in _LOCKING:
            self.met.add(target)

    def _notify(self, accesses: list[tuple[Op, int]]) -> Iterator[str]:
        op, condition = next(access for access in accesses if access[0] in _NOTIFYING)
        wakeups = [target for done, target in accesses if done is Op.WRITE]
        queue = self.parked.get(condition, [])
        if len(wakeups) > len(queue):
            yield f"more threads are woken than wait on {self.trace.targets[condition]}"
        elif len(wakeups) < (len(queue) if op is Op.NOTIFY_ALL else min(len(queue), 1)):
            yield f"a notification leaves threads waiting on {self.trace.targets[condition]}"
        self.woken.update(zip(wakeups, queue, strict=False))
        for thread in queue[: len(wakeups)]:
            self.asleep.pop(thread, None)
        del queue[: len(wakeups)]

    def _resume(self, thread: int, accesses: list[tuple[Op, int]]) -> Iterator[str]:
        """The rules for a thread that waits: it leaves the queue, only looks whether it was woken, or goes on as it was
        woken."""
        name = self.trace.threads[thread]
        acquires = any(op is Op.ACQUIRE for op, _ in accesses)
        for op, target in accesses:
            if op is Op.RMW and thread in self.parked.get(target, ()):
                self.parked[target].remove(thread)
                self.asleep.pop(thread, None)
            elif kind_of(self.trace.targets[target]) is Kind.MONITORED:
                continue  # the acquire is an event of a property
            elif op is Op.READ and (target in self.woken or acquires) and self.woken.get(target) != thread:
                yield f"thread {name} goes on by {self.trace.targets[target]}, which was not for it"
        if thread in self.asleep:
            if any(op is not Op.READ for op, _ in accesses):
                yield f"thread {name} goes on although no thread has woken it"
            self.asleep[thread] = True
