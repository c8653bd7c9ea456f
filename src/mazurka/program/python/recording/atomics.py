"""Atomic objects (`mazurka.atomic`) while a program is recorded.

Every operation is recorded as an indivisible update (RMW): loads and stores, too. So all operations on one object keep
their order in every prediction, and none of them is taken for a race. Recording and operation are one step under the
lock that the objects have anyway in programs that are not controlled.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from mazurka.atomics import atomic
from mazurka.program.python import activation
from mazurka.program.python.recording.locks import place, real_rlock
from mazurka.program.python.semantics.objects import number
from mazurka.trace.event import Op
from mazurka.trace.targets import ATOMIC

_METHODS: Final = ("load", "store", "exchange", "fetch_add", "fetch_sub", "compare_exchange")

_guard: Final = real_rlock()


def patches() -> list[tuple[Any, str, Any]]:
    """The methods, each preceded by its recording."""
    return [(atomic, name, _recorded(getattr(atomic, name))) for name in _METHODS]


def _recorded(method: Callable[..., Any]) -> Callable[..., Any]:
    def operation(thing: atomic, *args: Any, **named: Any) -> Any:
        where = place()
        with _guard:
            run = activation.active
            if run is not None:
                run.visit(Op.RMW, (ATOMIC, number(thing)), where)
            return method(thing, *args, **named)

    return operation
