"""Calls that end the whole process at once: they end the run instead, since the process is the check's.

`os._exit` with a status other than 0, and `os.abort`, are failures. The other threads go on as far as they can, since
they might have done so before, and the run ends then.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from types import FrameType
from typing import Any, Final

from mazurka.program.protocol import Failure, FailureKind, Frame
from mazurka.program.python.failures import is_ours, source_line
from mazurka.program.python.primitives.run import here
from mazurka.trace.event import Location

_undo: Final[list[Callable[[], None]]] = []


def install() -> None:
    """Take over from the real calls until :func:`uninstall`."""
    if not _undo:
        _replace("_exit", lambda status: f"os._exit({status})")
        _replace("abort", lambda: "os.abort()")


def uninstall() -> None:
    """Put the real functions back."""
    while _undo:
        _undo.pop()()


def _replace(name: str, describe: Callable[..., str]) -> None:
    real = getattr(os, name)

    def end(*arguments: Any, **named: Any) -> Any:
        models = here()
        if models is None:
            return real(*arguments, **named)
        text = describe(*arguments, **named)
        run = models.runtime
        if text != "os._exit(0)":
            frame = _caller()
            message = f"the program ends itself with {text}"
            location = frame.location if frame is not None else None
            frames = (frame,) if frame is not None else ()
            run.failures.append(
                Failure(FailureKind.EXIT, message, run.current.name, location, frames=frames, step=len(run.log))
            )
        return run.leave_process()

    setattr(os, name, end)
    _undo.append(lambda: setattr(os, name, real))


def _caller() -> Frame | None:
    """The program's line that made the call."""
    frame: FrameType | None = sys._getframe(2)
    while frame is not None:
        code = frame.f_code
        if not is_ours(code.co_filename):
            location = Location(code.co_filename, frame.f_lineno, 0, code.co_name)
            return Frame(location, source_line(code.co_filename, frame.f_lineno))
        frame = frame.f_back
    return None
