"""Threads that were started before a check, as by a module when it was imported, or by a fixture of a test session.

They are real threads, which no schedule moves. What they do with the program's objects can't be explored, and a thread
of the program that waits for one of them would wait in vain. So a program of which such a thread runs code is not
explored at all.

Cost: a look at the stack of each thread of the process, once before a check.
"""

from __future__ import annotations

import os
import sys
import threading
from types import FrameType

from mazurka.program.python import sites


def found() -> str:
    """Which threads there are that run code of the program, in words; "" if there are none."""
    names = {each.ident: each.name for each in threading.enumerate()}
    own = threading.get_ident()
    places = []
    for ident, frame in sys._current_frames().items():
        place = _in_the_program(frame) if ident != own else None
        if place is not None:
            places.append(f"{names.get(ident, 'a thread')}, in {place}")
    if not places:
        return ""
    threads = "a thread runs" if len(places) == 1 else f"{len(places)} threads run"
    return f"{threads} code of the program since before the check, which nothing controls: {'; '.join(sorted(places))}"


def _in_the_program(frame: FrameType | None) -> str | None:
    """Where a stack is in the program, if it is."""
    while frame is not None:
        code = frame.f_code
        if code.co_filename in sites.instrumented:
            return f"{code.co_qualname}() at {os.path.basename(code.co_filename)}:{frame.f_lineno}"
        frame = frame.f_back
    return None
