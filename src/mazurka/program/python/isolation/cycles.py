"""Objects that a run leaves in cycles: the interpreter ends them whenever it collects garbage.

While a check lasts, garbage is collected only where the program asks for it, so that executions are the same each time.
A real run collects at some allocation of some thread. If the program notices the end of such an object, by a finaliser
or a weak reference, that end may come amid the steps of other threads, and no step records it.

So the garbage of a run is collected at its end, and whether any of it was noticed is seen by the functions that are
called meanwhile, and by the weak references that die. Objects that the main thread still led to when all others had
ended (:mod:`mazurka.program.python.semantics.reachable`) do not count: they are not collected while there are other
threads.

Cost: a collection of the youngest generation, for programs that have finalisers or weak references.
"""

from __future__ import annotations

import gc
import sys
import weakref
from collections.abc import Callable
from enum import IntEnum
from types import FrameType
from typing import Any, Final

from mazurka.program.python.instrument import sites
from mazurka.program.python.semantics import objects

_LIBRARY: Final[str] = str(weakref.__file__)


class Noticed(IntEnum):
    """How a program notices that its garbage is collected: not at all, by weak references that it has read, or by code
    of its own that runs then."""

    NOT = 0
    BY_REFERENCES = 1
    BY_CODE = 2


#: Finalisers of `asyncio` that only look whether there is something to report of their object -> whether there is
#: nothing, by the object's attributes.
_IDLE: Final[dict[str, Callable[[dict[str, Any]], bool]]] = {
    "Future.__del__": lambda space: not space.get("_Future__log_traceback", False),
    "Task.__del__": lambda space: space.get("_state") != "PENDING",
    "BaseEventLoop.__del__": lambda space: bool(space.get("_closed")),
}


def _is_idle(frame: FrameType) -> bool:
    """Whether the call of a finaliser does nothing."""
    is_nothing = _IDLE.get(frame.f_code.co_qualname)
    if is_nothing is None or not str(frame.f_globals.get("__name__")).startswith("asyncio."):
        return False
    return is_nothing(vars(frame.f_locals["self"]))


def _object_of(frame: FrameType) -> int:
    """The identity of the object that a method is called for; in a profile function.

    Up to CPython 3.12 the interpreter sets the frame's variables from the dictionary of ``f_locals`` when the profile
    function returns, so nothing may be taken out of that here (:mod:`.frame_variables` does).
    """
    code = frame.f_code
    return id(frame.f_locals.get(code.co_varnames[0])) if code.co_argcount else 0


def collect(
    referred: list[Any],
    held: frozenset[int] = frozenset(),
    kept: frozenset[int] = frozenset(),
    generation: int = 0,
) -> Noticed:
    """Collect the garbage of a generation, and return how the program notices it. ``referred`` are weak references to
    the objects that the program has looked up by weak references of its own, ``held`` are the identities of objects
    whose weak references it has not read since they became garbage, ``kept`` those of objects that became garbage at
    its end."""
    noticed: list[str] = []
    excused: list[FrameType] = []  # running finalisers of objects that are kept

    def called(frame: FrameType, event: str, _argument: Any) -> None:
        code = frame.f_code
        if excused:
            if event == "return" and excused[-1] is frame:
                excused.pop()
        elif event == "call" and code.co_name == "__del__" and _object_of(frame) in kept:
            excused.append(frame)
        elif event == "call" and (code.co_filename in sites.instrumented or code.co_filename == _LIBRARY):
            if _is_idle(frame) or (frame.f_back is not None and _is_idle(frame.f_back)):
                return
            noticed.append(code.co_name)

    objects.let_go()  # of objects that only hooks hold, which are in no cycle
    alive = [each for each in referred if id(each()) not in held and each() is not None]
    before = sys.getprofile()
    sys.setprofile(called)
    try:
        gc.collect(generation)
    finally:
        sys.setprofile(before)
    if noticed:
        return Noticed.BY_CODE
    return Noticed.BY_REFERENCES if any(each() is None for each in alive) else Noticed.NOT
