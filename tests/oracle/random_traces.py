"""Traces of threads with various operations, drawn at random: input for :mod:`tests.oracle.predictable`."""

from __future__ import annotations

import random
from typing import Any

from mazurka.program.protocol import Step
from mazurka.trace.columns import assemble, parts_of
from mazurka.trace.event import Op
from mazurka.trace.trace import Trace, trace_of


def random_trace(
    rng: random.Random,
    length: int,
    threads: int = 3,
    branching: bool = False,
    valued: bool = False,
    waiting: bool = False,
    freeing: bool = False,
    updating: bool = False,
) -> Trace:
    """A well-formed trace of up to ``length`` events: two places (which may be freed, if ``freeing``), three locks,
    perhaps forks and joins. If ``waiting`` a condition, too; if ``updating`` something that is read and updated, as
    locks are that guard nothing known."""
    return Recorder(rng, threads, branching, valued, waiting, freeing, updating).run(length)


def with_requests(rng: random.Random, log: list[Step]) -> list[Step]:
    """The same, with a request before most acquires, right after the thread's event before it or later."""
    asked = list(log)
    for number in reversed(range(len(log))):
        step = log[number]
        if step.op is Op.ACQUIRE and rng.random() < 0.8:
            own = [before for before in range(number) if log[before].task == step.task]
            asked.insert(rng.randint(max(own, default=number - 1) + 1, number), step._replace(op=Op.REQUEST))
    return asked


class Recorder:
    """Has threads do various operations; an operation that is not possible now is not recorded."""

    def __init__(
        self,
        rng: random.Random,
        threads: int,
        branching: bool,
        valued: bool,
        waiting: bool = False,
        freeing: bool = False,
        updating: bool = False,
    ) -> None:
        self.rng, self.branching, self.valued = rng, branching, valued
        self.waiting, self.freeing, self.updating = waiting, freeing, updating
        self.parked: list[int] = []
        self.given_up: dict[int, str] = {}
        self.log: list[Step] = []
        self.names = [str(number) for number in range(threads)]
        self.held: list[list[str]] = [[] for _ in self.names]
        self.forked = {n for n in range(threads) if n == 0 or rng.random() < 0.6}
        self.alive = set(self.forked)
        self.ended: set[int] = set()
        self.memory: dict[str, int] = {}
        self.sections = rng.choice((0.2, 0.4, 0.9))
        self.patience = rng.choice((2, 3, 7))  # how many events a thread may have in a row
        self.locks = rng.choice(("k", "kl", "kl", "klm"))

    def record(self, length: int) -> None:
        """Let them do about so many things."""
        for _ in range(20 * length):
            if len(self.log) >= length or not self.alive:
                break
            thread = self.rng.choice(sorted(self.alive))
            for _ in range(self.rng.randrange(1, self.patience)):
                if thread in self.alive:
                    self._act(thread)
        for thread, locks in enumerate(self.held):
            while locks and self.rng.random() < 0.8:
                self._emit(thread, Op.RELEASE, ("lock", locks.pop()))

    def run(self, length: int) -> Trace:
        """A trace of so many things."""
        self.record(length)
        log = (
            with_requests(self.rng, self.log)
            if (self.waiting or self.updating) and self.rng.random() < 0.5
            else self.log
        )
        return assemble(parts_of(trace_of(self.names, log)))

    def _emit(self, thread: int, op: Op, target: Any, value: int | None = None) -> None:
        self.log.append(Step(thread, op, target, 0, True, value if self.valued else None))

    def _act(self, thread: int) -> None:
        if thread in self.given_up:
            self._take_back(thread)
            return
        chance = self.rng.random()
        if chance < self.sections:
            self._lock(thread)
        elif chance > 0.93:
            self._live(thread)
        elif self.branching and chance > 0.8:
            self._emit(thread, Op.BRANCH, ("none", ""))
        else:
            self._touch(thread, self.rng.choice("xy"))

    def _touch(self, thread: int, place: str) -> None:
        if self.freeing and self.rng.random() < 0.1:
            self._emit(thread, Op.FREE, ("object", place))
        elif self.updating and self.rng.random() < 0.3:
            self._emit(thread, self.rng.choice((Op.READ, Op.RMW, Op.RMW)), ("hidden", "h"))
        elif self.rng.random() < 0.5:
            self._emit(thread, Op.READ, ("var", place), self.memory.get(place, 0))
        else:
            self.memory[place] = self.rng.randrange(2)
            self._emit(thread, Op.WRITE, ("var", place), self.memory[place])

    def _take_back(self, thread: int) -> None:
        lock = self.given_up[thread]
        if all(lock not in held for held in self.held):
            self.held[thread].append(self.given_up.pop(thread))
            self._emit(thread, Op.ACQUIRE, ("lock", lock))

    def _lock(self, thread: int) -> None:
        held = self.held[thread]
        if held and self.rng.random() < (0.4 if len(held) == 1 else 0.8):
            lock = held[-1] if self.rng.random() < 0.8 else self.rng.choice(held)
            held.remove(lock)
            self._emit(thread, Op.RELEASE, ("lock", lock))
            return
        lock = self.rng.choice([lock for lock in self.locks if lock not in held] or self.locks)
        if all(lock not in other for other in self.held if other is not held):
            held.append(lock)
            self._emit(thread, Op.ACQUIRE, ("lock", lock))

    def _wait_or_notify(self, thread: int) -> None:
        if self.rng.random() < 0.5 and len(self.alive) > 1:
            self._wait(thread)
            return
        everybody = self.rng.random() < 0.3
        self._emit(thread, Op.NOTIFY_ALL if everybody else Op.NOTIFY, ("cond", "c"))
        woken = self.parked if everybody else self.parked[:1]
        self.alive |= set(woken)
        self.parked = self.parked[len(woken) :]

    def _wait(self, thread: int) -> None:
        """The last lock taken is given up, if there is one: after the wait, or before it."""
        does = [(Op.WAIT, ("cond", "c"))]
        if self.held[thread]:
            self.given_up[thread] = self.held[thread].pop()
            does.append((Op.RELEASE, ("lock", self.given_up[thread])))
        for op, target in does[:: self.rng.choice((1, -1))]:
            self._emit(thread, op, target)
        self.parked.append(thread)
        self.alive.discard(thread)

    def _live(self, thread: int) -> None:
        if self.waiting and self.rng.random() < 0.6:
            self._wait_or_notify(thread)
            return
        waiting = [n for n in range(len(self.names)) if n not in self.forked]
        joinable = [n for n in self.ended if n != thread]
        if waiting:
            self.forked.add(waiting[0])
            self.alive.add(waiting[0])
            self._emit(thread, Op.FORK, ("thread", self.names[waiting[0]]))
            if self.rng.random() < 0.5:
                self._emit(waiting[0], Op.BEGIN, ("thread", self.names[waiting[0]]))
        elif joinable:
            self._emit(thread, Op.JOIN, ("thread", self.names[self.rng.choice(joinable)]))
        elif not self.held[thread] and self.rng.random() < 0.5:
            self.alive.discard(thread)
            self.ended.add(thread)
            if self.rng.random() < 0.5:
                self._emit(thread, Op.END, ("thread", self.names[thread]))
