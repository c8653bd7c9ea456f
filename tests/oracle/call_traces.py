"""Draws traces of threads that call shared objects, beside reads, writes and locks.

The results of calls are those of the models of the library. Some objects have a lock and a place of their own: their
calls take the lock, write the place (there they take effect) and release the lock. Calls of others take effect where
they return. Calls of several threads overlap.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Any, NamedTuple

from tests.oracle.random_traces import Recorder

from mazurka.commute.registry import shared_type
from mazurka.commute.shared_type import BLOCKED, methods_of
from mazurka.program.protocol import Step
from mazurka.trace.columns import assemble, parts_of
from mazurka.trace.event import Op
from mazurka.trace.invocations import method_target, recorded
from mazurka.trace.trace import Trace, trace_of

#: By type: its methods that are called, and how many arguments they take.
METHODS = {
    "memory": (("read", 0), ("write", 1), ("free", 0)),
    "channel": (("send", 1), ("close", 0), ("receive", 0)),
    "concurrent_set": (("add", 1), ("add", 1), ("remove", 1), ("contains", 1), ("size", 0)),
    "register": (("write", 1), ("read", 0), ("cas", 2)),
    "counter": (("inc", 0), ("read", 0), ("fetch_add", 1)),
    "queue": (("enq", 1), ("deq", 0), ("size", 0)),
    "threading.Event": (("set", 0), ("clear", 0), ("is_set", 0), ("wait", 0)),
    "context": (("cancel", 0), ("err", 0)),
}


@dataclass
class _Object:
    """An object; ``locked``: with a lock of its own."""

    type_name: str
    name: str
    locked: bool
    state: Any


class CalledTrace(NamedTuple):
    """A trace; the same with the rows as NOPs that are internal to objects; the rows at which calls take effect, by
    those at which they begin; the rows at which calls begin that have not returned, and of those that write something
    else besides."""

    trace: Trace
    plain: Trace
    effect: dict[int, int]
    unfinished: frozenset[int]
    more: frozenset[int]


def called_trace(rng: random.Random, length: int, threads: int) -> CalledTrace:
    """One of up to about ``length`` events."""
    return _CallRecorder(rng, threads, rng.random() < 0.5, rng.random() < 0.5).called(length)


class _CallRecorder(Recorder):
    def __init__(self, rng: random.Random, threads: int, branching: bool, valued: bool) -> None:
        super().__init__(rng, threads, branching, valued)
        self.objects = [self._object(name) for name in rng.choice(("o", "o", "op"))]
        self.pending: dict[int, list[Any]] = {}
        self.begun: dict[int, int] = {}
        self.effect: dict[int, int] = {}
        self.results: dict[int, Any] = {}
        self.internal: set[int] = set()
        self.holders: dict[str, int] = {}
        self.more: set[int] = set()
        self.called_often = rng.choice((0.3, 0.5, 0.8))

    def _object(self, name: str) -> _Object:
        type_name = self.rng.choice(sorted(METHODS))
        kind = shared_type(type_name)
        state = kind.initials[0]
        for _ in range(self.rng.choice((0, 0, 1, 2))):
            state = self._stepped(type_name, state, *self._drawn(type_name))[0]
        return _Object(type_name, name, self.rng.random() < 0.5, state)

    def _drawn(self, type_name: str) -> tuple[str, tuple[int, ...]]:
        method, count = self.rng.choice(METHODS[type_name])
        return method, tuple(self.rng.randrange(2) for _ in range(count))

    def _stepped(self, type_name: str, state: Any, method: str, arguments: tuple[int, ...]) -> Any:
        step = methods_of(shared_type(type_name))[method].step(state, *arguments)
        return (state, BLOCKED) if step is BLOCKED else step

    def called(self, length: int) -> CalledTrace:
        self.record(length)
        plain = [step._replace(op=Op.NOP) if row in self.internal else step for row, step in enumerate(self.log)]
        whole, counting = (assemble(parts_of(trace_of(self.names, log))) for log in (self.log, plain))
        return CalledTrace(whole, counting, self.effect, frozenset(self.begun.values()), frozenset(self.more))

    def _act(self, thread: int) -> None:
        if self.pending.get(thread):
            self._go_on(thread)
        elif self.rng.random() < self.called_often:
            self._call(thread)
        else:
            super()._act(thread)

    def _call(self, thread: int) -> None:
        thing = self.rng.choice(self.objects)
        method, arguments = self._drawn(thing.type_name)
        target = method_target(thing.type_name, thing.name, method)
        self.begun[thread] = len(self.log)
        self.log.append(Step(thread, Op.CALL, target, 0, True, recorded(arguments)))
        made = (thing, method, arguments, target)
        steps: list[Any] = [("touch", made)] if self.rng.random() < 0.2 else []
        steps += [("take", made), ("write", made), ("give", made)] if thing.locked else []
        self.pending[thread] = [*steps, *([("change", made)] if self.rng.random() < 0.15 else []), ("return", made)]

    def _go_on(self, thread: int) -> None:
        step, (thing, method, arguments, target) = self.pending[thread][0]
        lock, place = ("lock", f"lock of {thing.name}"), ("var", f"inside of {thing.name}")
        if step == "touch":
            self._emit(thread, Op.READ, ("var", "x"), self.memory.get("x", 0))
        elif step == "change":
            self.more.add(self.begun[thread])
            self.memory["x"] = self.rng.randrange(2)
            self._emit(thread, Op.WRITE, ("var", "x"), self.memory["x"])
        elif step == "write":
            self._internally(thread, Op.WRITE, place)
        elif step == "take":
            if self.holders.get(thing.name, thread) != thread:
                return
            self.holders[thing.name] = thread
            self._internally(thread, Op.ACQUIRE, lock)
        else:
            if step == "give" or not thing.locked:
                after, result = self._stepped(thing.type_name, thing.state, method, arguments)
                if result is BLOCKED:
                    return
                thing.state = after
                self.effect[self.begun[thread]] = len(self.log)
                self.results[thread] = result
            if step == "give":
                del self.holders[thing.name]
                self._internally(thread, Op.RELEASE, lock)
            else:
                self.log.append(Step(thread, Op.RETURN, target, 0, True, recorded(self.results[thread])))
                if self.begun.pop(thread) in self.more:  # a location touched in calls only is internal
                    self._emit(thread, Op.READ, ("var", "x"), self.memory["x"])
        self.pending[thread].pop(0)

    def _internally(self, thread: int, op: Op, target: Any) -> None:
        self.internal.add(len(self.log))
        self._emit(thread, op, target, 0)
