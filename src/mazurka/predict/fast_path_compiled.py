"""The passes of :mod:`mazurka.predict.fast_path` compiled by numba, which is imported with this module."""

from __future__ import annotations

from types import FunctionType
from typing import Any

import numba

from mazurka.predict import fast_path


def _compile() -> tuple[Any, Any]:
    """The same functions, of the same source, that call each other's compiled versions."""
    space: dict[str, Any] = dict(vars(fast_path))
    jit: Any = numba.njit
    for name in fast_path.PASS:
        source: FunctionType = getattr(fast_path, name)
        # Handing over some forty arrays costs more than most of the functions do.
        inline = "never" if name in ("_survey", "_scan") else "always"
        space[name] = jit(cache=True, nogil=True, inline=inline, _nrt=False, no_cfunc_wrapper=True)(
            FunctionType(source.__code__, space, name)
        )
    return space["_survey"], space["_scan"]


survey, scan = _compile()
