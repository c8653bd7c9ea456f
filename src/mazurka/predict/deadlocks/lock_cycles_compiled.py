"""The search of :mod:`mazurka.predict.deadlocks.lock_cycles` compiled by numba, which is imported with this module."""

from __future__ import annotations

from types import FunctionType
from typing import Any

import numba

from mazurka.predict.deadlocks import lock_cycles


def _compile() -> Any:
    """The same functions, of the same source, that call each other's compiled versions."""
    space: dict[str, Any] = dict(vars(lock_cycles))
    jit: Any = numba.njit
    for name in lock_cycles.SEARCH:
        source: FunctionType = getattr(lock_cycles, name)
        inline = "never" if name == "_search" else "always"
        space[name] = jit(cache=True, nogil=True, inline=inline, _nrt=False, no_cfunc_wrapper=True)(
            FunctionType(source.__code__, space, name)
        )
    return space["_search"]


search: Any = _compile()
