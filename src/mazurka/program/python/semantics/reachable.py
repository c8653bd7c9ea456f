"""Objects that the main thread still reaches when all others have ended.

Garbage in cycles ends whenever the interpreter collects it (:mod:`mazurka.program.python.isolation.cycles`). An object
that variables of the main thread lead to when no other thread is left has been no garbage while there were other
threads: it ends when the main thread is alone, and whether its end makes a difference shows in the later steps of this
thread.

A variable of the function under check that is assigned once keeps its object until that function returns, and so all
objects that this one still leads to at the end of the run: none of their finalisers is called before, whenever garbage
is collected.

Only objects that the program itself refers to count. Objects that are reached by classes, modules and namespaces of
modules are left out, so that few objects are looked at: an object that is not found counts as garbage.

Cost: for programs with weak references, about once a run, a tenth of a microsecond for each object that is looked at,
of which there are at most 50,000.
"""

from __future__ import annotations

import dis
import functools
import gc
import sys
import types
import weakref
from collections.abc import Iterator
from typing import Any, Final

from mazurka.lazy_dataclass import dataclass
from mazurka.program.python import entry
from mazurka.program.python.frame_variables import variables_of
from mazurka.program.python.instrument import sites
from mazurka.program.python.semantics.locations import is_namespace
from mazurka.program.python.semantics.objects import can_be_watched, is_a
from mazurka.program.python.semantics.per_run import per_run

_MOST: Final = 50_000


@dataclass(frozen=True, slots=True)
class Alone:
    """The state of a run when its main thread has seen all others end: how many threads and steps there have been, the
    identities of the wanted objects that it leads to, and weak references to the objects that variables of the function
    under check keep until it returns. If the function ``ends`` the program only unless fixtures are torn down after it,
    that is its code."""

    threads: int
    steps: int
    held: frozenset[int]
    kept: tuple[weakref.ref[Any], ...] = ()
    ends: types.CodeType | None = None


#: The latest such state of this run.
_noted: Final[list[Alone]] = per_run([])

#: The code of tests that have returned in this run, after which no code of the program runs.
_last: Final[list[types.CodeType]] = per_run([])


def nothing_follows(code: types.CodeType) -> None:
    """A test has returned, and no code of the program runs in this execution any more."""
    _last.append(code)


def note(run: Any, wanted: list[Any], finalising: bool) -> None:
    """The running thread is the main one, and alone: remember which of the objects of these weak references its
    variables lead to, and, if the program has finalisers, the objects that it keeps until its end."""
    frames = [*_frames()]
    missing = {id(thing) for each in wanted if (thing := each()) is not None}
    found: set[int] = set()
    if missing:
        found = missing & _reached([value for frame in frames for value in variables_of(frame).values()], missing)
    kept, ends = _kept(frames) if finalising else ((), None)
    _noted[:] = [Alone(len(run.tasks), len(run.log), frozenset(found), kept, ends)]


def _frames() -> Iterator[types.FrameType]:
    """The frames of instrumented code that are running, the outermost one last."""
    frame: types.FrameType | None = sys._getframe(2)
    while frame is not None:
        if frame.f_code.co_filename in sites.instrumented:
            yield frame
        frame = frame.f_back


def _reached(waiting: list[Any], missing: set[int] | None = None) -> set[int]:
    """The identities of the objects that these objects lead to; with ``missing``, the search ends when all missing ones
    are found."""
    seen: set[int] = set()
    while waiting and (missing is None or not missing <= seen) and len(seen) < _MOST:
        thing = waiting.pop()
        if id(thing) not in seen and not _is_left_out(thing):
            seen.add(id(thing))
            waiting += gc.get_referents(thing)
    return seen


def is_in_use(thing: Any) -> bool:
    """Whether a variable of a running function of the program refers to an object, which is no garbage then."""
    return any(value is thing for frame in _frames() for value in variables_of(frame).values())


def led_to(thing: Any) -> Iterator[Any]:
    """The objects that an object leads to by strong references, itself first; some, if there are many."""
    seen: set[int] = set()
    waiting = [thing]
    while waiting and len(seen) < _MOST:
        each = waiting.pop()
        if id(each) not in seen and not _is_left_out(each):
            seen.add(id(each))
            yield each
            waiting += gc.get_referents(each)


def _kept(frames: list[types.FrameType]) -> tuple[tuple[weakref.ref[Any], ...], types.CodeType | None]:
    """The objects of the variables that the outermost function keeps until it returns, and its code unless it is called
    by the entry of the program: then no code runs after it, but after a test, fixtures may be torn down."""
    if frames and frames[-1].f_code.co_name == "<module>" and _is_last(frames[-1]):
        caller = frames.pop().f_back
    else:
        caller = frames[-1].f_back if frames else None
    if caller is None or not frames:
        return (), None
    values, code = variables_of(frames[-1]), frames[-1].f_code
    kept = tuple(weakref.ref(values[name]) for name in _lasting(code) if can_be_watched(values.get(name)))
    return kept, None if caller.f_code.co_filename == entry.__file__ else code


def _is_last(frame: types.FrameType) -> bool:
    """Whether the code of a module is at a call after which it does nothing."""
    rest = [each.opname for each in dis.get_instructions(frame.f_code) if each.offset > frame.f_lasti]
    return _IDLE.issuperset(rest)


_IDLE: Final = frozenset("CACHE NOP POP_TOP LOAD_CONST RETURN_CONST RETURN_VALUE".split())


@functools.cache
def _lasting(code: types.CodeType) -> frozenset[str]:
    """The variables of a function that are assigned once, and in no loop, and never deleted."""
    if not code.co_flags & _OPTIMIZED:
        return frozenset()
    stores: dict[str, int] = {}
    repeated: set[str] = set()
    instructions = [*dis.get_instructions(code)]
    back = [(each.argval, each.offset) for each in instructions if each.opcode in _JUMPS and each.argval <= each.offset]
    for each in instructions:
        for name in _names(each):
            stores[name] = stores.get(name, 0) + 1
            if "DELETE" in each.opname or any(first <= each.offset <= last for first, last in back):
                repeated.add(name)
    for inner in _inside(code):
        repeated.update(name for each in dis.get_instructions(inner) for name in _names(each))
    return frozenset(name for name, times in stores.items() if times == 1) - repeated


_OPTIMIZED: Final = 1
_JUMPS: Final = frozenset((*dis.hasjrel, *dis.hasjabs))


def _names(instruction: dis.Instruction) -> tuple[str, ...]:
    """The variables that an instruction assigns, or deletes."""
    if not instruction.opname.startswith(("STORE_FAST", "STORE_DEREF", "DELETE_FAST", "DELETE_DEREF")):
        return ()
    return instruction.argval if isinstance(instruction.argval, tuple) else (str(instruction.argval),)


def _inside(code: types.CodeType) -> Iterator[types.CodeType]:
    """The code of the functions that a function defines."""
    for each in code.co_consts:
        if isinstance(each, types.CodeType):
            yield each
            yield from _inside(each)


def kept_to_the_end(run: Any) -> frozenset[int]:
    """The identities of the objects that have been no garbage before the function under check returned, and the run
    ended; to be called then."""
    alone = last()
    if alone is None or alone.threads != len(run.tasks) or not (alone.ends is None or alone.ends in _last):
        return frozenset()
    kept = [thing for each in alone.kept if (thing := each()) is not None]
    return frozenset(_reached(kept)) if kept else frozenset()


def _is_left_out(thing: Any) -> bool:
    kind = type(thing)
    if kind.__flags__ & 1 << 9 and kind.__module__.partition(".")[0] in ("mazurka", "greenlet"):
        return True
    return is_a(thing, (type, types.ModuleType, types.FrameType)) or is_namespace(thing)


def last() -> Alone | None:
    """The latest state of this run in which its main thread was alone."""
    return _noted[-1] if _noted else None
