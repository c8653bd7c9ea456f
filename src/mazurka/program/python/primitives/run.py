"""The state of the models of Python's primitives in the run in progress.

A model keeps two states apart. The state *outside* any run is that of the real primitive: a real lock, the attributes
that an ``Event`` has had since the program was imported. The state *inside* a run starts as a copy of it, at the
model's first use in that run, and is dropped when the run ends. So a primitive made at import time starts every run in
the same state.

Every model calls :func:`here` to find out whether a call belongs to the run: it does iff a run is active and the caller
is the thread that the runtime lets run. Calls by other OS threads (of a test runner) and calls between runs use the
real primitive.

Cost: 0.1 microseconds for each such test.
"""

from __future__ import annotations

import sys
from collections import deque
from collections.abc import Callable
from functools import lru_cache
from types import CodeType, FrameType
from typing import Any, Final
from zlib import crc32

from greenlet import getcurrent

from mazurka.program.python import activation
from mazurka.program.runtime.concurrency import has_concurrent_threads
from mazurka.program.runtime.runtime import Runtime
from mazurka.program.runtime.task import Task
from mazurka.trace.event import Location
from mazurka.trace.targets import BARRIER, CONDITION, EVENT, SEMAPHORE, Target

#: A place in running code; its line is looked up only on request.
Where = tuple[CodeType, int]

#: Files of Mazurka, and of the standard library's primitives: a location that a user sees lies outside of them.
INNER: Final[set[str]] = set()


def is_inner(filename: str) -> bool:
    """Whether a file belongs to the primitives or to Mazurka, not to the program."""
    return filename in INNER or filename.startswith("<frozen importlib")


def first_outer_frame(frame: FrameType | None) -> FrameType | None:
    """The innermost frame of the program from ``frame`` outwards."""
    while frame is not None and frame.f_code.co_filename in INNER:
        frame = frame.f_back
    return frame


def is_of_record(frame: FrameType) -> bool:
    """Whether a frame makes a record of `logging`, which only gets to handlers."""
    if frame.f_code.co_name != "__init__" or frame.f_globals.get("__name__") != "logging":
        return False
    for name in ("makeRecord", "_log"):
        outer = frame.f_back
        if outer is None or outer.f_code.co_name != name or outer.f_globals is not frame.f_globals:
            return False
        frame = outer
    return True


def where(frame: FrameType | None) -> Where | None:
    """The innermost place of the program from ``frame`` outwards."""
    found = first_outer_frame(frame)
    return None if found is None else (found.f_code, found.f_lasti)


def location(place: Where | None) -> Location | None:
    """Line and column of a place."""
    if place is None:
        return None
    code, offset = place
    for start, end, line in code.co_lines():
        if start <= offset < end and line is not None:
            column = next((p[2] for i, p in enumerate(code.co_positions()) if i == offset // 2), None)
            return Location(code.co_filename, line, column or 0, code.co_qualname)
    return Location(code.co_filename, code.co_firstlineno, 0, code.co_qualname)


def whereabouts() -> int:
    """Where the running thread is in the program (0: nowhere), as a number that it has in every process."""
    place = where(sys._getframe(1))
    return 0 if place is None else _number_of(*place)


@lru_cache(maxsize=1024)
def _number_of(code: CodeType, offset: int) -> int:
    # This differs from all numbers of sites.
    return 1 << 32 | crc32(f"{code.co_filename}:{code.co_firstlineno}:{code.co_qualname}:{offset}".encode())


@lru_cache(maxsize=1024)
def ident(name: str) -> int:
    """The identifier of a thread, which follows from its name."""
    ident = 1
    for birth in name.split(".")[1:]:
        ident = ident * 10_000 + int(birth)
    return ident


class Models:
    """The state of all primitives in one run."""

    __slots__ = (
        "births",
        "calls",
        "exceeded",
        "foreign_locks",
        "futures_locks",
        "has_loops",
        "identified",
        "is_judged",
        "leaving",
        "measured",
        "measures",
        "namers",
        "names_seen",
        "numbers_executors",
        "outside",
        "passed_on",
        "pools",
        "runtime",
        "seeded",
        "tracing",
        "undo",
        "wait_loops",
    )

    def __init__(self, runtime: Runtime) -> None:
        self.runtime = runtime
        self.births: dict[str, int] = {}
        self.calls: dict[Any, Task] = {}  # see alike.py: the last thread started for each
        self.leaving: dict[int, list[Callable[[], object]]] = {}  # by task: callbacks at its end
        self.outside: list[tuple[Any, dict[str, Any]]] = []  # objects from before the run, with their attributes
        self.undo: list[Callable[[], object]] = []
        self.namers: set[int] = set()  # threads that have made threads with numbered names
        self.names_seen = False
        self.numbers_executors = False  # executors of the run are numbered from zero
        self.tracing: tuple[Any, ...] = ()  # the trace functions of threads at the start of the run
        self.identified: set[int] = set()  # the threads whose identifiers the program has asked for
        self.passed_on: dict[str, int] = {}  # by thread: identifiers that other threads had before
        self.pools: list[Any] = []  # see executors.py, like the following
        self.futures_locks: set[Target] = set()  # locks of `wait` and `as_completed`: no thread waits while it has one
        self.is_judged = False  # code outside the program tests the result of the run
        self.seeded = False  # the generator that functions of `random` share has been seeded
        self.has_loops = True  # no property is held to what passes of loops do
        self.wait_loops: dict[Target, Any] = {}  # see wait_loops.py, like the following
        self.measures: dict[int, dict[Target, Any]] = {}  # by step and condition
        self.measured: dict[Target, dict[Target, Any]] = {}  # by lock and condition, of sections that have not ended
        self.foreign_locks: set[Target] = set()  # taken by code that is not instrumented
        self.exceeded = False  # more tasks of an executor were under way than it has workers

    def number(self, prefix: str = "") -> str:
        """A name for the object that the running thread is making, the same in every run that makes the object.

        Each prefix counts for itself.
        """
        name = prefix + self.runtime.current.name
        count = self.births.get(name, 0) + 1
        self.births[name] = count
        return f"{name}#{count}"

    def ident(self, task: Task) -> int:
        """``get_ident()`` of a thread: a number that follows from its name, or from that of a thread that has ended."""
        return self.passed_on.get(task.name) or ident(task.name)

    def left(self, task: Task) -> None:
        """A thread has ended: release the objects that only it could reach."""
        for free in self.leaving.pop(task.index, ()):
            free()

    def keep(self, thing: Any) -> None:
        """Remember the attributes of an object made before the run, to put them back at the run's end."""
        self.outside.append((thing, dict(thing.__dict__)))


_current: Models | None = None

#: Functions to call with the new run's :class:`Models`: they save state that a run may change, and append its undoing.
beginners: Final[list[Callable[[Models], object]]] = []

_outside_births: dict[str, int] = {}


def count_uncontrolled(runtime: Runtime, name: str) -> None:
    """An operation is about to be carried out for real that no schedule decides."""
    runtime.count_uncontrolled(name)


def count_untracked(runtime: Runtime, operation: str) -> None:
    """An operation was carried out that no model covers: count it if there are other threads, which may notice it."""
    if not runtime.is_recording and not runtime.aborting and has_concurrent_threads(runtime):
        place = location(where(sys._getframe(1)))
        text = operation if place is None else f"{operation} at {place}"
        runtime.untracked[text] = runtime.untracked.get(text, 0) + 1


def here() -> Models | None:
    """The run that the calling thread belongs to, or None."""
    runtime = activation.active
    if runtime is None:
        return None
    task: Task | None = runtime.current
    if task is None or getcurrent() is not task.greenlet:
        if task is not None and not runtime.is_recording and runtime.is_of_program(getcurrent()):
            runtime.leave_to_program()
        return None
    models = _current
    return models if models is None or models.runtime is runtime else begin(runtime)


def current() -> Models | None:
    """The run in progress, for any caller."""
    return _current


def begin(runtime: Runtime) -> Models:
    """Start the models of a run, or of a stand-in for its runtime; whoever starts a run calls :func:`end` after it.

    They change `threading` itself. So no model starts them by its use: nobody would end them, and the interpreter
    would wait at its exit for its own main thread.
    """
    global _current
    end()
    _current = models = Models(runtime)
    for beginner in beginners:
        beginner(models)
    return models


def end() -> None:
    """End a run: undo its changes to primitives from before it."""
    global _current
    models, _current = _current, None
    if models is None:
        return
    for undo in reversed(models.undo):
        undo()
    for thing, attributes in models.outside:
        thing.__dict__.clear()
        thing.__dict__.update(attributes)
    models.outside.clear()
    models.undo.clear()
    del models.runtime  # objects that the program leaves behind must not hold the whole run


def outside_number(frame: FrameType | None) -> str:
    """A name for a primitive made outside a run: the same in every process, since it comes from the source."""
    while frame is not None and frame.f_code.co_filename in INNER:
        frame = frame.f_back
    place = f"{frame.f_globals.get('__name__', '?')}:{frame.f_lineno}" if frame is not None else "?"
    count = _outside_births.get(place, 0) + 1
    _outside_births[place] = count
    return f"{place}#{count}"


#: Begins the names of primitives that the program made as real ones, and a run has met.
MET: Final = "met:"


class PrimitiveState:
    """The state inside one run of a primitive whose class is Python code: its target, and its description."""

    __slots__ = ("born", "kind", "models", "parked", "target")

    def __init__(self, models: Models, kind: str, number: str, born: Where | None) -> None:
        self.models = models
        self.kind = kind
        self.target: Target = (kind, number)
        self.born = born
        self.parked: list[Any] = []  # the waiting threads

    def describe(self) -> str:
        return describe(_WORDS[self.kind], self.born)

    def holder(self) -> Task | None:
        return None


_WORDS: Final = {EVENT: "Event", SEMAPHORE: "Semaphore", CONDITION: "Condition", BARRIER: "Barrier"}


def describe(kind: str, born: Where | None, number: str = "") -> str:
    """A primitive in words."""
    place = location(born)
    if place is not None:
        return f"{kind} {'first used' if number.startswith(MET) else 'created'} at {place}"
    return f"{kind} `{number}`" if number else kind


def model_of(thing: Any, models: Models, kind: str) -> PrimitiveState:
    """The state of ``thing`` in this run; a new one at its first use."""
    state: PrimitiveState | None = thing.__dict__.get("_mz")
    if state is not None and state.models is models:
        if models.runtime.detail:
            models.runtime.on_use(models.runtime, state)
        return state
    origin = thing.__dict__.get("_mz_origin")
    if origin is None:
        origin = (outside_number(None), None)
        thing.__dict__["_mz_origin"] = origin
    models.keep(thing)
    if kind == CONDITION:
        thing._waiters = deque()
    state = PrimitiveState(models, kind, *origin)
    thing.__dict__["_mz"] = state
    if models.runtime.detail:
        models.runtime.on_use(models.runtime, state)
    return state


def born(thing: Any, kind: str) -> Models | None:
    """Note the maker of a new primitive, and the place; returns the run if it was made in one."""
    models = here()
    frame = sys._getframe(2)
    place = where(frame)
    if models is None:
        thing.__dict__["_mz_origin"] = (outside_number(frame), place)
        return None
    if "_mz" in thing.__dict__:
        count_untracked(models.runtime, f"{type(thing).__name__}.__init__(), called again")
    thing.__dict__["_mz"] = PrimitiveState(models, kind, models.number(), place)
    return models
