"""The steps of the operations of :mod:`mazurka.atomics`.

An atomic object has one target, ``("atomic", number)``. Loads are READs, stores WRITEs, updates RMWs; a compare and
exchange that finds another value is a READ, and marked as an attempt. Each is a point. A store that other threads may
see late under the memory model is reported to the runtime together with its slot, as plain stores are
(:mod:`mazurka.program.python.weak_memory.store_slots`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from mazurka import atomics
from mazurka.lazy_dataclass import dataclass
from mazurka.program.python.primitives.run import here
from mazurka.program.python.semantics import objects
from mazurka.program.runtime.runtime import Runtime
from mazurka.trace.event import Op
from mazurka.trace.targets import ATOMIC, Target


@dataclass(frozen=True, slots=True)
class _Held:
    """The slot in which an atomic object keeps its value."""

    thing: atomics.atomic

    def look(self) -> Any:
        return self.thing._value

    def put(self, value: Any) -> None:
        self.thing._value = value


class Atomics:
    """Implements :class:`mazurka.atomics.AtomicsModel`."""

    def is_running(self) -> bool:
        return here() is not None

    def load(self, thing: atomics.atomic) -> None:
        _visit(Op.READ, thing)

    def store(self, thing: atomics.atomic, order: str) -> None:
        if order != "seq_cst":
            _runtime().hold_back(_Held(thing), order == "release")
        _visit(Op.WRITE, thing)

    def update(self, thing: atomics.atomic) -> None:
        _visit(Op.RMW, thing)

    def attempt(self, thing: atomics.atomic, succeeds: Callable[[], bool]) -> bool:
        runtime = _runtime()
        return runtime.attempt(Op.RMW, _target(runtime, thing), succeeds, look=_look(thing))

    def fence(self) -> None:
        _runtime().drain()


def _runtime() -> Runtime:
    models = here()
    assert models is not None
    return models.runtime


def _target(runtime: Runtime, thing: atomics.atomic) -> Target:
    target = (ATOMIC, objects.number(thing))
    if runtime.detail:
        objects.label(runtime, target, thing)
    return target


def _visit(op: Op, thing: atomics.atomic) -> None:
    runtime = _runtime()
    if not runtime.solo:
        runtime.visit(op, _target(runtime, thing), 0, _look(thing) if runtime.detail else None, (), True)


def _look(thing: atomics.atomic) -> Callable[[], Any]:
    return objects.peek(lambda: thing._value, objects.name(thing))


def install() -> Callable[[], None]:
    """Have atomic objects report their operations from now on; returns the function that undoes this."""
    atomics.model = Atomics()

    def undo() -> None:
        atomics.model = None

    return undo
