"""What the operations of :mod:`mazurka.atomics` are to the kernel.

An atomic object has one target, ``("atomic", number)``. Loads are READs, stores WRITEs, updates RMWs; a compare and
exchange that finds something else is a READ, and marked as an attempt. Each is a point. A store that the memory model
lets others see late is told to the kernel together with its place, as plain stores are (:mod:`..places`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from mazurka import atomics
from mazurka.program.protocol import Target
from mazurka.program.python import objects
from mazurka.program.python.kernel import Kernel
from mazurka.program.python.primitives.run import here
from mazurka.trace.event import Op


@dataclass(frozen=True, slots=True)
class _Held:
    """Where an atomic object keeps its value."""

    thing: atomics.atomic

    def look(self) -> Any:
        return self.thing._value

    def put(self, value: Any) -> None:
        self.thing._value = value


class Atomics:
    """Implements :class:`mazurka.atomics.Model`."""

    def is_running(self) -> bool:
        return here() is not None

    def load(self, thing: atomics.atomic) -> None:
        _visit(Op.READ, thing)

    def store(self, thing: atomics.atomic, order: str) -> None:
        if order != "seq_cst":
            _kernel().hold_back(_Held(thing), order == "release")
        _visit(Op.WRITE, thing)

    def update(self, thing: atomics.atomic) -> None:
        _visit(Op.RMW, thing)

    def attempt(self, thing: atomics.atomic, succeeds: Callable[[], bool]) -> bool:
        kernel = _kernel()
        done = kernel.attempt(Op.RMW, _target(kernel, thing), succeeds)
        if done and kernel.detail:
            kernel.tell_written(_look(thing))
        return done

    def fence(self) -> None:
        _kernel().drain()


def _kernel() -> Kernel:
    models = here()
    assert models is not None
    return models.kernel


def _target(kernel: Kernel, thing: atomics.atomic) -> Target:
    target = ("atomic", objects.number(thing))
    if kernel.detail:
        objects.label(kernel, target, thing)
    return target


def _visit(op: Op, thing: atomics.atomic) -> None:
    kernel = _kernel()
    if not kernel.solo:
        kernel.visit(op, _target(kernel, thing), 0, _look(thing) if kernel.detail else None, (), True)


def _look(thing: atomics.atomic) -> Callable[[], Any]:
    return objects.peek(lambda: thing._value, objects.name(thing))


def install() -> Callable[[], None]:
    """Be asked about the operations from now on; returns how to undo that."""
    atomics.model = Atomics()

    def undo() -> None:
        atomics.model = None

    return undo
