"""The frames of the program at a step, without the frames of Mazurka.

Cost: a tenth of a microsecond for each frame; the text of their lines is looked up for reports only.
"""

from __future__ import annotations

import sys
import types
from collections.abc import Sequence
from typing import Final

from mazurka.program.protocol import Frame
from mazurka.program.python import failures
from mazurka.program.python.instrument import sites
from mazurka.trace.event import Location


def frames() -> list[tuple[types.CodeType, int]]:
    """The program's frames at this moment, innermost first, as cheaply as can be."""
    stack = []
    frame: types.FrameType | None = sys._getframe(1)
    while frame is not None:
        code = frame.f_code
        if not failures.is_ours(code.co_filename):
            stack.append((code, frame.f_lineno))
        frame = frame.f_back
    return stack


#: Functions of `threading` that keep no state of their own about primitives.
_HANDING_ON: Final = frozenset({"wait_for", "__enter__", "__exit__"})


def is_unseen() -> bool:
    """Whether the code of this step is not instrumented, and so may keep untracked state."""
    frame: types.FrameType | None = sys._getframe(1)
    while frame is not None:
        code = frame.f_code
        if code.co_filename in sites.instrumented:
            return False
        if not failures.is_ours(code.co_filename) and code.co_name not in _HANDING_ON:
            return True
        frame = frame.f_back
    return True


def readable(stack: Sequence[tuple[types.CodeType, int]]) -> tuple[Frame, ...]:
    """The stack with its source lines, innermost frame first."""
    return tuple(
        Frame(Location(code.co_filename, line, 0, code.co_name), failures.source_line(code.co_filename, line))
        for code, line in reversed(stack)
    )
