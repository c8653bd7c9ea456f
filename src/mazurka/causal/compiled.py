"""The kernel compiled by numba: the same functions, of the same source, on a state that is handed over by reference.

Compiled code gets the arrays in one numba structure, since passing seventy arrays by value costs more than most
functions do. Python keeps the :class:`~mazurka.causal.state.ClosureState` itself: both see the same arrays. Compiling
takes about ten seconds. numba is imported with this module.
"""

from __future__ import annotations

from typing import Any

from numba.core import types
from numba.experimental import structref

from mazurka.causal.state import ClosureState, functions
from mazurka.jit.compile import Form, compiled_together

_struct: Any = structref
_types: Any = types


class _StateType(_types.StructRef):  # type: ignore[misc]  # numba's classes have no types
    """The structure's type: one field for each array of the state."""


class _Handle(_struct.StructRefProxy):  # type: ignore[misc]
    """The structure as Python holds it."""

    def __new__(cls, *arrays: Any) -> _Handle:
        made: _Handle = _struct.StructRefProxy.__new__(cls, *arrays)
        return made


_struct.register(_StateType)
_struct.define_proxy(_Handle, _StateType, list(ClosureState._fields))


def _made(*arrays: Any) -> Any:
    return _Handle(*arrays)


#: numba's own function that makes the structure is compiled anew in each process, which takes seconds.
_MAKING: Any = compiled_together([_made], lambda _: Form(allocates=True, keeps_gil=True))


def handle_of(state: ClosureState) -> Any:
    """The state, as compiled functions take it."""
    return _MAKING._made(*state)


#: The functions of kernel.py and queries.py, each compiled when first called. Most calls are short.
COMPILED = compiled_together(functions().values(), lambda _: Form(allocates=True, keeps_gil=True))
