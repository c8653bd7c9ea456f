"""From the exception that ended a thread to a :class:`Failure`: its type, its message, its lines."""

from __future__ import annotations

import linecache
import os
import traceback
from types import TracebackType
from typing import Final

import greenlet

from mazurka.program.protocol import Failure, FailureKind, Frame
from mazurka.symbolic.values import SymbolicInt
from mazurka.trace.event import Location

_OURS: Final = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))) + os.sep
_MACHINERY: Final = (_OURS, os.path.dirname(greenlet.__file__) + os.sep, "<frozen importlib")


def is_ours(filename: str) -> bool:
    """Whether a frame's file is part of Mazurka's machinery rather than of the program."""
    return filename.startswith(_MACHINERY)


#: Our modules that only observe: an exception from there is our fault, not the program's.
WATCHING: Final = frozenset(
    os.path.join(_OURS, "program", *f"{name}.py".split("/"))
    for name in """runtime/scheduler runtime/sharing runtime/step_metadata
    python/analysis/checks python/instrument/sites
    python/property_events/callees python/property_events/emission python/property_events/naming
    python/property_events/pointcuts python/property_events/shown_values python/property_events/violations
    python/semantics/array_operations python/semantics/attributes python/semantics/calls
    python/semantics/class_shapes python/semantics/classification python/semantics/consulted
    python/semantics/container_adapters python/semantics/deep_access python/semantics/definitions
    python/semantics/foreign python/semantics/gathering python/semantics/handed_objects python/semantics/harmless
    python/semantics/locations python/semantics/native_objects python/semantics/objects python/semantics/operators
    python/semantics/key_fields python/semantics/private_classes python/semantics/raising
    python/semantics/recurring_classes python/semantics/reentrant python/semantics/shown
    python/semantics/untracked python/semantics/views
    python/semantics/without_gil""".split()
)


def fault_of_ours(error: BaseException) -> str:
    """Why an exception is no failure of the program, if it was raised in our own code; "" if it was not."""
    trace = error.__traceback__
    if not isinstance(error, Exception) or trace is None:
        return ""
    if isinstance(error, NameError) and str(error.name).startswith("__mz_"):
        return "the program runs code with builtins of its own, which lack the hooks"
    if SymbolicInt.__name__ in _message(error):
        return (
            "the run was cut: code in C wants a plain int where the program gives an unknown input; convert it by int()"
        )
    *_, (frame, line) = traceback.walk_tb(trace)
    if frame.f_code.co_filename not in WATCHING:
        return ""
    where = f"{os.path.basename(frame.f_code.co_filename)}:{line}"
    return f"the run was cut by a fault of Mazurka, at {where}: {type(error).__name__}: {_message(error)}"


def frames_of(trace: TracebackType | None) -> tuple[Frame, ...]:
    """The lines of a traceback, outermost first, without ours."""
    frames = []
    for summary in traceback.extract_tb(trace):
        if not is_ours(summary.filename):
            location = Location(summary.filename, summary.lineno or 0, summary.colno or 0, summary.name)
            frames.append(Frame(location, source_line(summary.filename, summary.lineno or 0)))
    return tuple(frames)


def source_line(filename: str, line: int) -> str:
    """A line of a source file, "" if it can't be had."""
    return linecache.getline(filename, line).strip()


def exception_failure(thread: str, error: BaseException, step: int) -> Failure | None:
    """The failure for an exception that ended a thread; None where Python takes the exception for a normal end."""
    name = type(error).__name__
    frames = frames_of(error.__traceback__)
    location = frames[-1].location if frames else None
    if isinstance(error, SystemExit):
        if thread != "0" or error.code in (None, 0):
            return None
        return Failure(
            FailureKind.EXIT, f"the program exits with {error.code!r}", thread, location, name, frames, step=step
        )
    kind = FailureKind.ASSERTION if isinstance(error, AssertionError) else FailureKind.EXCEPTION
    text = _message(error)
    return Failure(kind, f"{name}: {text}" if text else name, thread, location, name, frames, step=step)


def _message(error: BaseException) -> str:
    try:
        return str(error)
    except Exception:  # a broken __str__ must not hide the failure
        return "(its message could not be made)"
