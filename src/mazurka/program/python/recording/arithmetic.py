"""Operators of augmented assignments while a program is recorded, with the cases in which they might have had another
effect.

``x.n += 1`` on two `int` gives an `int` for any values: only the new value depends on them. The effect of any other
operation depends on its operands (another class, an exception): a BRANCH records this. The reads that decide nothing
are then determined in branches.py.
"""

from __future__ import annotations

import operator
from _thread import get_ident
from collections.abc import Callable
from typing import Any, Final

from mazurka.program.python.recording.event_sink import EventSink
from mazurka.program.python.recording.raw import MORE
from mazurka.trace.event import Op
from mazurka.trace.targets import BRANCH

#: Operators that give an `int` for any two.
_TOTAL: Final = {
    "Add": operator.iadd,
    "Sub": operator.isub,
    "Mult": operator.imul,
    "BitOr": operator.ior,
    "BitXor": operator.ixor,
    "BitAnd": operator.iand,
}
_OTHERS: Final = {
    "Div": operator.itruediv,
    "FloorDiv": operator.ifloordiv,
    "Mod": operator.imod,
    "Pow": operator.ipow,
    "LShift": operator.ilshift,
    "RShift": operator.irshift,
    "MatMult": operator.imatmul,
}
_BRANCH: Final = (BRANCH, Op.BRANCH.value, 0, None, MORE)


def operators(run: EventSink) -> dict[str, Callable[[Any, Any], Any]]:
    """The operators, by the names under which instrumented code calls them."""
    add = run.buffer.extend

    def on_numbers(native: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
        def operate(left: Any, right: Any) -> Any:
            if type(left) is not int or type(right) is not int:
                add((get_ident(), *_BRANCH))
            return native(left, right)

        return operate

    def on_anything(native: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
        def operate(left: Any, right: Any) -> Any:
            add((get_ident(), *_BRANCH))
            return native(left, right)

        return operate

    return {
        **{f"__mz_i{name}__": on_numbers(native) for name, native in _TOTAL.items()},
        **{f"__mz_i{name}__": on_anything(native) for name, native in _OTHERS.items()},
    }
