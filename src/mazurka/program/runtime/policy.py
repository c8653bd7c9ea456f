"""The choice of the next thread for samplers that look at pending operations.

Unlike a random walk's, these choices depend on the pending operations. A policy is asked at every point past the
plan's prefix, also when only one thread can move, so that it knows of every thread that moves.

- :class:`PartialOrderSampling` (Yuan, Yang, Gu: Partial order aware concurrency sampling, CAV 2018). Each pending
  operation has a random priority; the highest goes first. Then this operation, and every pending one that conflicts
  with it, get new priorities. So operations that commute don't influence each other, and each order of those that
  conflict has a fair chance, where a random walk lets a thread of many steps finish long after one of few.
- :class:`SelectiveWalk` (Zhao, Wolff, Mathur, Roychoudhury: Selectively uniform concurrency testing, ASPLOS 2025). Of
  all operations only those on the plan's ``focus`` count; threads have known numbers of them, the plan's ``weights``.
  The thread that does the next of them is chosen beforehand, with a probability proportional to the number that it has
  left, which makes all orders of these operations equally likely; any thread may go on with any other operation. A
  thread that has not been seen yet counts for its parent. Departure: if the chosen thread can't move and the others can
  only do such an operation, the choice is made again.
- :class:`Guided`: follows, as nearly as possible, an order of operations given by thread and place, say that of a
  trace: with real threads there are other points.

Cost: O(threads) for each point.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Final, NamedTuple, Protocol

from mazurka.program.guide import GuideStep
from mazurka.program.protocol import Plan, TailPolicy
from mazurka.trace.conflicts import READ_WRITE, Conflicts
from mazurka.trace.event import Op
from mazurka.trace.fingerprints import fingerprint_of_name
from mazurka.trace.targets import Target

#: How far :class:`Guided` looks ahead for an operation that a thread stands before.
_AHEAD: Final = 10_000

#: How many choices it makes past its guide, if the run is to be brief: points may be a little later than in the guide.
_AFTER: Final = 20


class Pending(NamedTuple):
    """An operation that a thread stands before; it could go on."""

    thread: str
    op: Op
    target: Target
    site: int = 0


class Policy(Protocol):
    """Chooses the next thread at points."""

    def choose(self, pending: Sequence[Pending]) -> int | None:
        """The index of the operation, out of at least one, whose thread moves; None: the run is over."""
        ...


def make_policy(plan: Plan) -> Policy | None:
    """The policy of a plan, if it has one."""
    match plan.tail:
        case TailPolicy.POS:
            return PartialOrderSampling(plan)
        case TailPolicy.SURW:
            return SelectiveWalk(plan)
        case TailPolicy.GUIDED:
            return Guided(plan)
    return None


class PartialOrderSampling:
    """See the module."""

    def __init__(self, plan: Plan, conflicts: Conflicts = READ_WRITE) -> None:
        self._conflicts = conflicts.accesses
        self._random = random.Random(plan.seed).random
        self._priorities: dict[str, float] = {}  # by thread

    def choose(self, pending: Sequence[Pending]) -> int:
        priorities = self._priorities
        for each in pending:
            if each.thread not in priorities:
                priorities[each.thread] = self._random()
        index = max(range(len(pending)), key=lambda i: priorities[pending[i].thread])
        chosen = pending[index]
        target, conflicting = chosen.target, self._conflicts[chosen.op]
        for each in pending:
            if each is chosen or (conflicting[each.op] and each.target == target):
                del priorities[each.thread]
        return index


class SelectiveWalk:
    """See the module."""

    def __init__(self, plan: Plan) -> None:
        self._random = random.Random(plan.seed).random
        self._focus = plan.focus
        self._left = dict(plan.weights)
        self._seen: set[str] = set()
        self._next = ""  # the thread of the next operation that counts

    def choose(self, pending: Sequence[Pending]) -> int:
        threads = [each.thread for each in pending]
        if not self._seen.issuperset(threads):
            self._seen.update(threads)
            self._next = ""
        if not self._next:
            self._decide(threads)
        free = self._free(pending)
        if not free:
            self._decide(threads)
            free = self._free(pending) or list(range(len(pending)))
        index = free[int(self._random() * len(free))]
        thread, _, target, _ = pending[index]
        if fingerprint_of_name(target) == self._focus:
            self._left[thread] = max(self._left.get(thread, 0) - 1, 0)
            self._next = ""
        return index

    def _free(self, pending: Sequence[Pending]) -> list[int]:
        """The threads that may move: those with another pending operation, and the chosen one."""
        return [
            i
            for i, each in enumerate(pending)
            if each.thread == self._next or fingerprint_of_name(each.target) != self._focus
        ]

    def _decide(self, threads: list[str]) -> None:
        weights = dict.fromkeys(threads, 0)
        for name, left in self._left.items():
            while name not in self._seen and "." in name:
                name = name.rpartition(".")[0]
            if name in weights:
                weights[name] += left
        at = self._random() * sum(weights.values())
        self._next = threads[int(self._random() * len(threads))]
        for name, weight in weights.items():
            if at < weight:
                self._next = name
                return
            at -= weight


class Guided:
    """See the module."""

    def __init__(self, plan: Plan) -> None:
        self._guide = plan.guide
        self._at = 0
        self._last = ""  # the thread that moved last
        self._met: set[str] = set()  # threads
        self._left = _AFTER if plan.brief else -1  # choices past the guide

    def choose(self, pending: Sequence[Pending]) -> int | None:
        by_thread = {each.thread: index for index, each in enumerate(pending)}
        self._met.update(by_thread)
        while self._at < len(self._guide):
            wanted = self._guide[self._at]
            index = by_thread.get(wanted.thread)
            if wanted.op is Op.BEGIN and wanted.thread in self._met:
                self._at += 1
                continue
            if index is None:
                index = self._other(by_thread, wanted)  # the wanted thread has to wait, say to be started
            elif wanted.is_met_by(pending[index]):
                self._at += 1
                if wanted.stays:
                    continue
            elif self._comes_later(pending[index]):
                self._at += 1  # the guide's operation is no point here
                continue
            self._last = pending[index].thread
            return index
        if self._left == 0:
            return None
        self._left -= 1
        index = by_thread.get(self._last, 0)
        self._last = pending[index].thread
        return index

    def _other(self, by_thread: dict[str, int], wanted: GuideStep) -> int:
        """The thread that starts the wanted one; else a thread that the guide does not mention any more; else the one
        that it mentions next."""
        parent = wanted.thread.rpartition(".")[0]
        if wanted.op is Op.BEGIN and parent in by_thread:
            return by_thread[parent]
        rest = [each.thread for each in self._guide[self._at :]]
        free = [index for thread, index in by_thread.items() if thread not in rest]
        return free[0] if free else next((by_thread[thread] for thread in rest if thread in by_thread), 0)

    def _comes_later(self, pending: Pending) -> bool:
        rest = self._guide[self._at + 1 : self._at + 1 + _AHEAD]
        return any(each.thread == pending.thread and each.is_met_by(pending) for each in rest)
