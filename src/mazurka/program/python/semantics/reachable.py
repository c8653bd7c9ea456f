"""Objects that the main thread still reaches when all others have ended.

Garbage in cycles ends whenever the interpreter collects it (:mod:`mazurka.program.python.isolation.cycles`). An object
that variables of the main thread lead to when no other thread is left has been no garbage while there were others: it
ends when the main thread is alone, and whether that makes a difference shows in the steps of this thread from then on.

Only what the program itself refers to counts. What can be reached by classes, modules and namespaces of modules is left
out, so that little is gone through: an object that is not found counts as garbage.

Cost: for programs that refer weakly to anything, once a run or so, a tenth of a microsecond for each object gone
through, of which there are at most 50,000.
"""

from __future__ import annotations

import gc
import sys
import types
from dataclasses import dataclass
from typing import Any, Final

from mazurka.program.python.frame_variables import variables_of
from mazurka.program.python.instrument import sites
from mazurka.program.python.semantics.locations import is_namespace
from mazurka.program.python.semantics.objects import is_a
from mazurka.program.python.semantics.per_run import per_run

_MOST: Final = 50_000


@dataclass(frozen=True, slots=True)
class Alone:
    """The state of a run when its main thread has seen all others end: how many threads and steps there have been, and
    the identities of the objects asked for that it leads to."""

    threads: int
    steps: int
    held: frozenset[int]


#: The latest such state of this run.
_noted: Final[list[Alone]] = per_run([])


def note(run: Any, wanted: list[Any]) -> None:
    """The running thread is the main one, and alone: remember which of the objects that these weak references are to
    its variables lead to."""
    things = (each() for each in wanted)
    found = _found({id(thing) for thing in things if thing is not None})
    _noted[:] = [Alone(len(run.tasks), len(run.log), frozenset(found))]


def _found(missing: set[int]) -> set[int]:
    frame: types.FrameType | None = sys._getframe(2)
    waiting: list[Any] = []
    while frame is not None:
        if frame.f_code.co_filename in sites.instrumented:
            waiting += variables_of(frame).values()
        frame = frame.f_back
    seen: set[int] = set()
    while waiting and not missing <= seen and len(seen) < _MOST:
        thing = waiting.pop()
        if id(thing) not in seen and not _is_left_out(thing):
            seen.add(id(thing))
            waiting += gc.get_referents(thing)
    return missing & seen


def _is_left_out(thing: Any) -> bool:
    kind = type(thing)
    if kind.__flags__ & 1 << 9 and kind.__module__.partition(".")[0] in ("mazurka", "greenlet"):
        return True
    return is_a(thing, (type, types.ModuleType, types.FrameType)) or is_namespace(thing)


def last() -> Alone | None:
    """The latest such state of this run."""
    return _noted[-1] if _noted else None
