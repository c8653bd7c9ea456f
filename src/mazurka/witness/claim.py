"""Checks whether a claim about the end of an order holds there.

The check uses the state after the walk through the order (:class:`~mazurka.trace.wellformed.Walk`,
:class:`~mazurka.witness.values.Values`), never the engine that makes the claim.

State that is not in the trace can't be checked: a lock that is never touched may have been held before the trace began,
by the thread that existed then; and if the holder of a lock waits for it, the trace does not say whether the lock is
re-entrant. Claims that are only made about recorded traces (:mod:`mazurka.witness.columns`) are rejected for runs of
our own.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any, Final

from mazurka.trace.event import WRITES, Op
from mazurka.trace.targets import Kind, is_counter, is_written_once, kind_of
from mazurka.trace.trace import Trace
from mazurka.trace.wellformed import Walk
from mazurka.witness.values import Values
from mazurka.witness.witness import Claim, DeadlockState, Fails, LivelockLasso, Races, StuckThread

#: Operations that only access a location, and order no threads.
_TOUCHING: Final = (Op.READ, Op.WRITE, Op.RMW)


class Claimed:
    """The state at the end of an order, with which the claim is compared."""

    def __init__(self, trace: Trace, walk: Walk, values: Values, order: tuple[int, ...]) -> None:
        self.trace = trace
        self.walk = walk
        self.values = values
        self.order = order
        self.passed = frozenset(order)
        self.target = {name: number for number, name in enumerate(trace.targets)}

    def objections(self, claim: Claim) -> Iterator[str]:
        """The reasons why the claim does not hold; none if it does."""
        match claim:
            case Races():
                yield from self._races(claim)
            case Fails():
                yield from self._fails(claim)
            case DeadlockState():
                yield from self._all_wait(claim.waiting, ())
                yield from self._cycle(claim)
            case LivelockLasso():
                yield from self._repeats_itself(claim)
            case _:
                yield f"a claim {type(claim).__name__} can only be made about a recorded trace"

    def _all_wait(self, claimed: tuple[StuckThread, ...], others: Collection[int]) -> Iterator[str]:
        """Objections, unless all living threads but ``others`` wait as claimed."""
        names = [waiting.thread for waiting in claimed]
        for thread in self.walk.living():
            if thread not in others and names.count(self.trace.threads[thread]) != 1:
                yield f"the claim has no reason why thread {self.trace.threads[thread]} could not go on"
        for waiting in claimed:
            yield from self._waits(waiting)

    def _repeats_itself(self, claim: LivelockLasso) -> Iterator[str]:
        rows: dict[int, list[int]] = {}
        for row, step in enumerate(self.trace.step):
            rows.setdefault(step, []).append(row)
        before, after = self.order[-2 * claim.steps : -claim.steps], self.order[-claim.steps :]
        one, other = [[self._as_repeated(row) for step in steps for row in rows[step]] for steps in (before, after)]
        if not 0 < 2 * claim.steps <= len(self.order) or one != other:
            yield f"the last {claim.steps} steps do not repeat the steps before them"
        yield from self._all_wait(claim.waiting, {self.trace.thread[rows[step][0]] for step in after})

    def _as_repeated(self, row: int) -> tuple[Any, ...]:
        """A row without wake-ups, whose numbers change each time."""
        trace = self.trace
        name = trace.targets[trace.target[row]]
        return trace.thread[row], trace.op[row], Kind.WAKE if kind_of(name) is Kind.WAKE else name, trace.value[row]

    def _alive(self, name: str) -> int | None:
        """The number of a thread that is alive at the end of the order; None if it is not."""
        number = self.trace.threads.index(name) if name in self.trace.threads else -1
        return number if number in self.walk.living() else None

    def _fails(self, claimed: Fails) -> Iterator[str]:
        thread = self._alive(claimed.thread)
        if thread is None:
            yield f"thread {claimed.thread}, which is claimed to fail, does not exist or has ended"
            return
        own = {self.trace.step[row] for row in self.trace.rows_of_thread[thread]}
        done = len(own & self.passed)
        if done != claimed.steps:
            yield f"thread {claimed.thread} is claimed to fail after {claimed.steps} steps, not after {done}"

    def _races(self, claim: Races) -> Iterator[str]:
        trace, threads, touched = self.trace, [], []
        for step in (claim.first, claim.second):
            rows = [row for row in range(len(trace)) if trace.step[row] == step]
            thread = trace.thread[rows[0]] if rows else -1
            later = [trace.step[row] for row in trace.rows_of_thread[thread] if trace.step[row] not in self.passed]
            if thread not in self.walk.living() or later[:1] != [step]:
                yield f"step {step}, which is claimed to race, is not the next step of its thread"
            threads.append(thread)
            touched.append({trace.target[row]: WRITES[trace.op[row]] for row in rows if trace.op[row] in _TOUCHING})
        one, other = touched
        if threads[0] == threads[1] or not any(one[target] or other[target] for target in one.keys() & other.keys()):
            yield f"steps {claim.first} and {claim.second} do not conflict"

    def _waits(self, claimed: StuckThread) -> Iterator[str]:
        thread = self._alive(claimed.thread)
        if thread is None:
            yield f"thread {claimed.thread}, which is claimed to wait, does not exist or has ended"
        elif not self._is_next(thread, claimed):
            yield f"thread {claimed.thread} has other steps before the claimed wait"
        elif claimed.repeats is not None:
            yield from self._repeats(thread, claimed.repeats)
        elif not self.walk.is_parked(thread):
            yield from self._hindrance(claimed)
        elif claimed.holder is not None:
            yield f"thread {claimed.thread} waits for a notification, not for thread {claimed.holder}"

    def _is_next(self, thread: int, claimed: StuckThread) -> bool:
        """Whether a thread has come to the claimed operation: if the trace has a further step of the thread, it is that
        one."""
        trace = self.trace
        later = [row for row in trace.rows_of_thread[thread] if trace.step[row] not in self.passed]
        return not later or (trace.op[later[0]], trace.targets[trace.target[later[0]]]) == (claimed.op, claimed.target)

    def _hindrance(self, claimed: StuckThread) -> Iterator[str]:
        """Objections, unless the claimed holder blocks the operation."""
        target = self.target.get(claimed.target, -1)
        match claimed.op:
            case Op.ACQUIRE:
                yield from self._held(claimed, target)
            case Op.JOIN:
                other = claimed.target[-1]
                if other in self.walk.ended or claimed.holder not in (None, other):
                    yield f"thread {claimed.thread} waits for thread {claimed.holder or other}, which is not alive"
            case Op.RMW if is_counter(claimed.target) and self.values.value(target) in (None, 0):
                return
            case Op.RMW | Op.READ if kind_of(claimed.target) in (Kind.CHANNEL, Kind.LOOP):
                return  # the content of a pipe, a socket or a loop is never recorded
            case Op.READ if kind_of(claimed.target) is Kind.EVENT and self.values.value(target) in (None, False):
                return
            case Op.READ if is_written_once(claimed.target) and target not in self.values.written:
                return
            case Op.READ if kind_of(claimed.target) is Kind.UNFINISHED and self.values.value(target) != 0:
                return
            case _:
                yield f"thread {claimed.thread} could go on with {claimed.op.name} of {claimed.target}"

    def _held(self, claimed: StuckThread, lock: int) -> Iterator[str]:
        holder = self.walk.holder(lock)
        if holder is not None:
            name: str | None = self.trace.threads[holder]
        elif lock in self.walk.met:
            yield f"{claimed.target}, for which thread {claimed.thread} is claimed to wait, is free"
            return
        else:
            name = self.trace.threads[0]
        if claimed.holder not in (None, name):
            yield f"{claimed.target} is held by thread {name}, not by thread {claimed.holder}"

    def _repeats(self, thread: int, targets: tuple[object, ...]) -> Iterator[str]:
        values = self.values
        for name in targets:
            target = self.target.get(name, -1)
            read = values.read.get((target, thread))
            if read is None or values.written.get(target, 0) > read:
                yield f"thread {self.trace.threads[thread]} could see {name} change"

    def _cycle(self, claim: DeadlockState) -> Iterator[str]:
        holders = {waiting.thread: waiting.holder for waiting in claim.waiting}
        awaited = {holders.get(name) for name in claim.cycle}
        if claim.cycle and awaited != claim.cycle:
            yield f"threads {', '.join(sorted(claim.cycle))} do not wait for one another"
