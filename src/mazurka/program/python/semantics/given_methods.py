"""Results of descriptors for special methods (:mod:`mazurka.program.python.instrument.rewrite.descriptors`).

The interpreter calls such a result at once, inside of an operation, and returns the result of that call. A function of
the program reports its own steps. Any other object is called by a function of the program instead, whose call is
instrumented. This function is only used for special methods: a program that gets the method by its name would see
another object.

Methods whose result the interpreter uses further (an iterator, a manager) are untracked as soon as there are several
threads.

Cost: a walk over the class for each use of such a method.
"""

from __future__ import annotations

import types
from collections.abc import Callable
from typing import Any, Final

from mazurka.program.python import activation
from mazurka.program.python.instrument import sites
from mazurka.program.python.semantics.class_shapes import LOOKED_UP
from mazurka.program.python.semantics.locations import bases
from mazurka.program.python.semantics.objects import is_a
from mazurka.program.runtime.concurrency import has_concurrent_threads

#: Special methods whose result is that of the operation.
_FINAL: Final = frozenset(
    f"__{name}__"
    for name in """repr str bytes format lt le eq ne gt ge hash bool getattr setattr delattr dir call len getitem
    setitem delitem contains add sub mul matmul truediv floordiv mod divmod pow lshift rshift and xor or
    radd rsub rmul rmatmul rtruediv rfloordiv rmod rdivmod rpow rlshift rrshift rand rxor ror iadd isub
    imul imatmul itruediv ifloordiv imod ipow ilshift irshift iand ixor ior neg pos abs invert int float
    complex index round trunc floor ceil""".split()
)


def given(value: Any, descriptor: Any, instance: Any, calling: Callable[[Any], Any]) -> Any:
    """``descriptor.__get__(instance)`` is about to return ``value``; ``calling`` makes a function that calls it."""
    run = activation.active
    if run is None or run.solo or run.is_recording or instance is None or _reports(value):
        return value
    name = _special(descriptor, type(instance))
    if not name:
        return value
    if name in _FINAL:
        return calling(value)
    if has_concurrent_threads(run):
        text = f"{type(instance).__name__}.{name}, which a descriptor returns"
        run.untracked[text] = run.untracked.get(text, 0) + 1
    return value


def _reports(value: Any) -> bool:
    """Whether a value is not callable, or is a function of the program, which reports its own steps."""
    function = value.__func__ if type(value) is types.MethodType else value
    if type(function) is types.FunctionType:
        return function.__code__.co_filename in sites.instrumented
    return not is_a(value, type) and not any("__call__" in each.__dict__ for each in bases(type(value)))


def _special(descriptor: Any, kind: type) -> str:
    """The name of the special method that a descriptor returns for a class; "" if it returns none."""
    for each in bases(kind):
        for name, value in each.__dict__.items() if each.__flags__ & 1 << 9 else ():
            if value is descriptor and name in LOOKED_UP:
                return str(name)
    return ""
