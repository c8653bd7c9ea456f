"""Traces of small programs whose threads wait for one another in every way: locks, conditions, joins.

Each thread follows a script, drawn at random: sections of locks, one in another now and then, in which it
touches a place, waits on a condition or notifies. The first thread starts the others, and joins some of them. Where
threads are *knotted* there are up to four, most sections of three locks are in others, and each thread may join those
that are started after it. Threads that can go on do so in turns, drawn at random, until none can; a notification wakes
the thread that has waited longest.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

from tests.oracle.random_traces import with_requests

from mazurka.program.protocol import Step
from mazurka.trace.columns import assemble, parts_of
from mazurka.trace.event import Op
from mazurka.trace.trace import Trace, trace_of

#: The next operation of a thread, with its target. A wait releases the lock behind it.
_Act = tuple[Op, Any, str]

#: Runs of knotted threads that are tried.
_TRIES = 20


def random_monitors(rng: random.Random, branching: bool = False, valued: bool = False, knotted: bool = False) -> Trace:
    """A trace of two to four threads, with an END for most of them."""
    return _Play(rng, branching, valued, knotted).trace()


class _Play:
    def __init__(self, rng: random.Random, branching: bool, valued: bool, knotted: bool) -> None:
        self.rng, self.branching, self.valued, self.knotted = rng, branching, valued, knotted
        self.names = [str(n) for n in range(rng.choice((3, 3, 4) if knotted else (2, 2, 3)))]
        self.scripts = [list(self._script(thread)) for thread in range(len(self.names))]
        self._begin()

    def _begin(self) -> None:
        self.at = [0] * len(self.names)
        self.begun, self.ended = {0}, set[int]()
        self.owner: dict[str, int] = {}
        self.parked: list[tuple[int, str]] = []
        self.woken: set[int] = set()
        self.memory: dict[str, int] = {}
        self.log: list[Step] = []

    def trace(self) -> Trace:
        """Of a run in which all threads end, if one of a few tries is one."""
        for _ in range(_TRIES if self.knotted else 1):
            self._begin()
            self._run()
            if all(at == len(script) for at, script in zip(self.at, self.scripts, strict=True)):
                break
        log = with_requests(self.rng, self.log) if self.rng.random() < 0.5 else self.log
        return assemble(parts_of(trace_of(self.names, log)))

    def _run(self) -> None:
        while able := [t for t in self.begun - self.ended if self._can(t)]:
            thread = self.rng.choice(sorted(able))
            for _ in range(self.rng.choice((1, 3, 6))):
                if self._can(thread):
                    self._do(thread)

    # -- scripts ------------------------------------------------------------------------------------------------------

    def _script(self, thread: int) -> Iterator[_Act]:
        others = range(1, len(self.names)) if thread == 0 else []
        yield from ((Op.FORK, ("thread", self.names[t]), "") for t in others)
        later = range(thread + 1, len(self.names))
        if self.knotted:
            yield from self._knot("klm", later)
        for _ in range(self.rng.choice((0, 0, 0, 1) if self.knotted else (1, 1, 2))):
            yield from self._section("k" if self.rng.random() < 0.3 else "l", others)
        yield from self._accesses()
        yield from ((Op.JOIN, ("thread", self.names[t]), "") for t in others if self.rng.random() < 0.7)
        if self.rng.random() < 0.9:
            yield Op.END, ("thread", self.names[thread]), ""

    def _section(self, lock: str, others: Any) -> Iterator[_Act]:
        yield from self._accesses()
        yield Op.ACQUIRE, ("lock", lock), ""
        chance = self.rng.random()
        if lock == "k" and chance < 0.7:
            yield from self._section("l", ())
        elif chance < 0.4:
            yield Op.WAIT, ("cond", "c"), lock if self.rng.random() < 0.9 else ""
        elif chance < 0.85:
            yield self.rng.choice((Op.NOTIFY, Op.NOTIFY, Op.NOTIFY_ALL)), ("cond", "c"), ""
        elif others:
            yield Op.JOIN, ("thread", self.names[self.rng.choice(others)]), ""
        yield from self._accesses()
        yield Op.RELEASE, ("lock", lock), ""

    def _knot(self, locks: str, later: Any) -> Iterator[_Act]:
        """A section of one of some locks, with something of the others in it."""
        lock = self.rng.choice(locks)
        yield Op.ACQUIRE, ("lock", lock), ""
        chance = self.rng.random()
        if len(locks) == 3 and chance < 0.7:
            yield from self._knot(locks.replace(lock, ""), later)
        elif later and chance < 0.6:
            yield Op.JOIN, ("thread", self.names[self.rng.choice(later)]), ""
        elif chance < 0.8:
            yield Op.WAIT, ("cond", "c"), lock
        elif chance < 0.95:
            yield self.rng.choice((Op.NOTIFY, Op.NOTIFY_ALL)), ("cond", "c"), ""
        yield from self._accesses()
        yield Op.RELEASE, ("lock", lock), ""

    def _accesses(self) -> Iterator[_Act]:
        if self.rng.random() < 0.3:
            yield self.rng.choice((Op.READ, Op.WRITE)), ("var", "x"), ""
            if self.branching and self.rng.random() < 0.5:
                yield Op.BRANCH, ("none", ""), ""

    # -- the run ------------------------------------------------------------------------------------------------------

    def _can(self, thread: int) -> bool:
        if thread in self.ended or self.at[thread] == len(self.scripts[thread]):
            return False
        op, target, lock = self.scripts[thread][self.at[thread]]
        match op:
            case Op.ACQUIRE:
                return target[1] not in self.owner
            case Op.JOIN:
                other = self.names.index(target[1])
                return other in self.ended or (other in self.begun and self.at[other] == len(self.scripts[other]))
            case Op.WAIT if (thread, lock) in self.parked:
                return False
            case Op.WAIT if thread in self.woken:
                return not lock or lock not in self.owner
        return True

    def _do(self, thread: int) -> None:
        op, target, lock = self.scripts[thread][self.at[thread]]
        self.at[thread] += 1
        match op:
            case Op.WAIT:
                self._wait(thread, target, lock)
                return
            case Op.NOTIFY | Op.NOTIFY_ALL:
                ended = self.parked[: len(self.parked) if op is Op.NOTIFY_ALL else 1]
                self.woken |= {each for each, _ in ended}
                self.parked = self.parked[len(ended) :]
            case Op.FORK:
                self.begun.add(self.names.index(target[1]))
            case Op.END:
                self.ended.add(thread)
            case Op.ACQUIRE:
                self.owner[target[1]] = thread
            case Op.RELEASE:
                del self.owner[target[1]]
            case Op.WRITE:
                self.memory[target[1]] = self.rng.randrange(2)
        self._emit(thread, op, target)

    def _wait(self, thread: int, target: Any, lock: str) -> None:
        if thread in self.woken:
            self.woken.discard(thread)
            if lock:
                self.owner[lock] = thread
                self._emit(thread, Op.ACQUIRE, ("lock", lock))
            return
        self.at[thread] -= 1
        self.parked.append((thread, lock))
        does: list[tuple[Op, Any]] = [(Op.WAIT, target)]
        if lock:
            does.append((Op.RELEASE, ("lock", lock)))
            del self.owner[lock]
        for op, touched in does[:: self.rng.choice((1, -1))]:
            self._emit(thread, op, touched)

    def _emit(self, thread: int, op: Op, target: Any) -> None:
        value = self.memory.get(target[1], 0) if self.valued and op in (Op.READ, Op.WRITE) else None
        self.log.append(Step(thread, op, target, 0, True, value))
