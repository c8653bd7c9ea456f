"""What every trace of a threaded program satisfies, whoever recorded it.

- A thread that is forked in the trace begins after that, once; it does nothing before it begins, nor after it ends.
- A join comes after the end of the thread joined, if that thread shows in the trace.
- A lock that is taken is free, or is the taker's own (re-entrant); a lock that is given back was taken, by whoever it
  was, or was held before the trace began.
- The rows of one step belong to one thread and are consecutive.

Cost: one pass.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from mazurka.trace.event import Op
from mazurka.trace.trace import Trace


@dataclass(frozen=True, slots=True)
class Defect:
    """Something that can't be: at which row, and what."""

    row: int
    what: str


def defects(trace: Trace) -> list[Defect]:
    """All that is wrong with a trace; empty for a well-formed one."""
    return _Checker(trace).run()


class _Checker:
    def __init__(self, trace: Trace) -> None:
        self.trace = trace
        self.found: list[Defect] = []
        self.forked: set[Any] = set()
        self.begun: set[Any] = set()
        self.ended: set[Any] = set()
        self.holders: dict[int, tuple[int, int]] = {}  # lock -> thread, depth
        self.met: set[int] = set()  # locks seen so far

    def run(self) -> list[Defect]:
        trace = self.trace
        columns = (trace.step.tolist(), trace.thread.tolist(), trace.op.tolist(), trace.target.tolist())
        before = (-1, -1)
        for row, (step, thread, op, target) in enumerate(zip(*columns, strict=True)):
            if step == before[0] and thread != before[1]:
                self._report(row, f"step {step} belongs to two threads")
            elif step < before[0]:
                self._report(row, f"step {step} comes after step {before[0]}")
            before = (step, thread)
            self._thread(row, thread, Op(op), target)
            self._lock(row, thread, Op(op), target)
        return self.found

    def _report(self, row: int, what: str) -> None:
        self.found.append(Defect(row, what))

    def _thread(self, row: int, thread: int, op: Op, target: int) -> None:
        name = self.trace.threads[thread]
        other = self.trace.targets[target]
        if name in self.ended:
            self._report(row, f"thread {name} goes on after its end")
        if name in self.forked and name not in self.begun and op is not Op.BEGIN:
            self._report(row, f"thread {name} does something before it begins")
        match op:
            case Op.FORK:
                if other[-1] in self.forked or other[-1] in self.begun:
                    self._report(row, f"thread {other[-1]} is started twice, or after it began")
                self.forked.add(other[-1])
            case Op.BEGIN:
                if name in self.begun:
                    self._report(row, f"thread {name} begins twice")
                self.begun.add(name)
            case Op.END:
                self.ended.add(name)
            case Op.JOIN:
                if other[-1] in self.trace.threads and other[-1] not in self.ended:
                    self._report(row, f"thread {other[-1]} is joined before its end")

    def _lock(self, row: int, thread: int, op: Op, target: int) -> None:
        if op is Op.ACQUIRE:
            holder, depth = self.holders.get(target, (thread, 0))
            if holder != thread:
                self._report(
                    row, f"{self.trace.targets[target]} is taken while thread {self.trace.threads[holder]} has it"
                )
            self.holders[target] = (thread, depth + 1)
        elif op is Op.RELEASE:
            if target in self.holders:
                holder, depth = self.holders.pop(target)
                if depth > 1:
                    self.holders[target] = (holder, depth - 1)
            elif target in self.met:
                self._report(row, f"{self.trace.targets[target]} is given back though nobody has it")
        if op in (Op.ACQUIRE, Op.RELEASE):
            self.met.add(target)
