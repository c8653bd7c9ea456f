"""The variables of a running function, copied without a lasting effect on it.

Up to CPython 3.12 a function's frame keeps the dictionary that ``f_locals`` gives. Where a variable refers to the
frame itself (`logging` looks for its caller so), that would be a cycle, which only a collection of garbage ends; a real
run has no such cycle. So the dictionary is emptied again, unless the program has it from ``locals()``: it is filled
anew when asked for.
"""

from __future__ import annotations

import sys
import types
from typing import Any, Final

#: Whether frames keep the dictionary of their variables.
_KEPT: Final = sys.version_info < (3, 13)

#: A flag of the code of functions: `inspect.CO_OPTIMIZED`.
_OPTIMIZED: Final = 1

#: References to the dictionary: the frame's, a variable's here, and an argument's.
_OURS: Final = 3


def variables_of(frame: types.FrameType) -> dict[str, Any]:
    """A copy of a frame's local variables by name."""
    found = frame.f_locals
    copied = dict(found)
    if _KEPT and frame.f_code.co_flags & _OPTIMIZED and sys.getrefcount(found) <= _OURS:
        found.clear()
    return copied
