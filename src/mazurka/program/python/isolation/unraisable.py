"""Writes messages about exceptions that can't be caught, for instance those of ``__del__``, in place of the
interpreter.

The interpreter does so in C, and reads the source lines through `io.open`: in a run these reads would be steps of the
thread that lets go of the object. The text is the same. Between runs nothing is written: the objects of a run that was
cut end then, half unwound.
"""

from __future__ import annotations

import sys
import traceback
from typing import Any, Final

from mazurka.program.python import activation
from mazurka.program.python.instrument.own import contextlib

_default: Final = sys.__unraisablehook__


def install() -> None:
    """Write the messages, unless other code has set a hook, until :func:`uninstall`."""
    if sys.unraisablehook is _default:
        sys.unraisablehook = _write
        vars(sys)["__unraisablehook__"] = _write


def uninstall() -> None:
    """Put the default hook back, unless the program has set one of its own."""
    vars(sys)["__unraisablehook__"] = _default
    if sys.unraisablehook is _write:
        sys.unraisablehook = _default


def _write(unraisable: Any, /) -> None:
    stream = sys.stderr
    if stream is None or activation.active is None:
        return
    with contextlib.suppress(Exception):  # the interpreter does not say more, either
        stream.write(f"{unraisable.err_msg or 'Exception ignored in'}: {unraisable.object!r}\n")
        kind, value, trace = unraisable.exc_type, unraisable.exc_value, unraisable.exc_traceback
        stream.write("".join(traceback.format_exception(kind, value, trace, chain=False)))
        stream.flush()
