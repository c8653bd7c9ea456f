"""How exceptions are written about that nobody can catch, those of ``__del__`` say.

The interpreter does it in C, and looks for the source lines by `io.open`: in a run that would be steps of whatever
thread happens to let go of the object. What is written here instead is the same text.
"""

from __future__ import annotations

import contextlib
import sys
import traceback
from typing import Any, Final

_default: Final = sys.__unraisablehook__


def install() -> None:
    """Write instead of the interpreter, unless somebody else has taken it over, until :func:`uninstall`."""
    if sys.unraisablehook is _default:
        sys.unraisablehook = _write
        vars(sys)["__unraisablehook__"] = _write


def uninstall() -> None:
    vars(sys)["__unraisablehook__"] = _default
    if sys.unraisablehook is _write:
        sys.unraisablehook = _default


def _write(unraisable: Any, /) -> None:
    stream = sys.stderr
    if stream is None:
        return
    with contextlib.suppress(Exception):  # nor does the interpreter say more
        stream.write(f"{unraisable.err_msg or 'Exception ignored in'}: {unraisable.object!r}\n")
        kind, value, trace = unraisable.exc_type, unraisable.exc_value, unraisable.exc_traceback
        stream.write("".join(traceback.format_exception(kind, value, trace, chain=False)))
        stream.flush()
