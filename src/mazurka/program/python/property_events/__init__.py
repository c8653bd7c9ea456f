"""Property events of Python programs: the operations that are events, by the pointcuts of properties, and how programs
report them.

Modules that are rewritten while properties are active get hooks at operations that may be events
(:mod:`mazurka.program.python.instrument.rewrite.weaving`).
"""

from __future__ import annotations

import builtins
from collections.abc import Callable, Sequence
from typing import Any

from mazurka.program.python.instrument import woven_names
from mazurka.program.python.property_events import hooks
from mazurka.program.python.property_events.emission import Emitter, Violated
from mazurka.properties.property import Property


def activate(properties: Sequence[Property], on_violation: Violated | None = None) -> Callable[[], None]:
    """Have programs report the events of these properties; calling the result ends that. ``on_violation`` is called in
    a controlled run that violates one."""
    if not properties:
        return _nothing
    vars(builtins).update(hooks.HOOKS)
    before = hooks.active, woven_names.active
    hooks.activate(Emitter(properties, on_violation))
    woven_names.activate(woven_names.names_of(properties))

    def undo() -> None:
        emitter, names = before
        hooks.activate(emitter)
        woven_names.activate(names)

    return undo


def _nothing() -> None:
    """Undo nothing."""


def begin() -> None:
    """A run begins."""
    if hooks.active is not None:
        hooks.active.begin()


def finish(run: Any) -> None:
    """A run has ended."""
    if hooks.active is not None:
        hooks.active.finish(run)


__all__ = ["activate", "begin", "finish"]
