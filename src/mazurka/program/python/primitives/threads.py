"""Models of threads: ``threading.Thread`` (methods replaced in place), ``enumerate`` and its kin.

A thread of the program is a task of the runtime. Its Thread object keeps CPython's attributes; the task is in its
``_mz``. Identifiers follow from the task's name, so they are the same in every run and process.

``is_alive`` READs the target that the end of the thread WRITEs; ``enumerate`` and ``active_count`` READ ("threads",),
which starts and ends change once a thread has looked. Whether a Thread object has been started is a location of its
own, ("start", its birth): ``start`` changes it (a second one raises), ``join`` and ``is_alive`` READ it. Accesses to it
are points as soon as a thread other than the starting one uses the Thread object (:func:`_uses_start`); the uses of its
own threads by one thread are in order anyway.

Departures: an uncaught exception is handed to ``threading.excepthook`` only if the program has set one
(:mod:`.uncaught`); ``settrace``/``setprofile`` hooks are kept but not called for new threads.
"""

from __future__ import annotations

import itertools
import sys
import threading
import zlib
from collections.abc import Callable
from contextvars import Context
from functools import lru_cache
from operator import itemgetter
from typing import Any, Final

from greenlet import GreenletExit

from mazurka.program.protocol import Access
from mazurka.program.python.instrument.own import WeakKeyDictionary, WeakSet
from mazurka.program.python.isolation import earlier_threads
from mazurka.program.python.primitives import alike, contexts, identifiers, names, uncaught
from mazurka.program.python.primitives import run as _run
from mazurka.program.python.primitives.births import hash_of_birth
from mazurka.program.python.primitives.private import replace
from mazurka.program.python.primitives.run import (
    Models,
    count_uncontrolled,
    count_untracked,
    here,
    ident,
    outside_number,
)
from mazurka.program.python.semantics import natives, unwatched_functions
from mazurka.program.runtime.runtime import Runtime
from mazurka.program.runtime.task import COUNT_POINTS, END_POINTS, IDENT_POINTS, SUBMIT_POINTS, Task
from mazurka.trace.event import Op
from mazurka.trace.targets import THREAD, THREADS, Kind, Target, started_by

_original: Final[dict[tuple[type, str], Any]] = {}
_real_threading: Final[dict[str, Any]] = {
    name: getattr(threading, name) for name in ("current_thread", "enumerate", "active_count")
}
_MAIN: Final[Any] = threading.main_thread()
_SPACE: Final = threading.__dict__
_Thread: Final = threading.Thread
_Dummy: Final[Any] = _SPACE["_DummyThread"]


class Started:
    """``Thread._started`` inside a run: only the thread machinery sees it, so it is no visible location."""

    __slots__ = ("flag",)

    def __init__(self, flag: bool = False) -> None:
        self.flag = flag

    def is_set(self) -> bool:
        """Whether the thread was started."""
        return self.flag

    def set(self) -> None:
        """The thread has been started."""
        self.flag = True

    def wait(self, timeout: float | None = None) -> bool:
        """Return at once: a thread of the runtime has started when ``start`` returns."""
        return True

    def _at_fork_reinit(self) -> None:
        self.flag = False


class ThreadState(Started):
    """A Thread object's part in one run; serves as its ``_started``, too."""

    __slots__ = ("context", "earlier", "lookers", "mark", "models", "starter", "target", "task")

    def __init__(self, models: Models, birth: str, started: bool = False) -> None:
        self.flag = started
        self.earlier: bool | None = None  # whether a thread that was started before the run is alive
        self.models = models
        self.task: Task | None = None
        self.starter: Task | None = None
        self.context: Context | None = None
        self.lookers: tuple[Task, ...] = ()  # the tasks that saw that the thread was not started
        self.target, self.mark = _start(birth)


@lru_cache(maxsize=1024)
def _start(birth: str) -> tuple[Target, int]:
    """The target of a thread's start, by the thread's birth, and the mark among points if that needs a point."""
    return (Kind.START.tag, birth), -1 - (zlib.crc32(birth.encode()) | 1 << 32)


def _state(thread: Any, models: Models, space: dict[str, Any]) -> ThreadState:
    """The state of a Thread object with these attributes, which are read without a step."""
    state: ThreadState | None = space.get("_mz")
    if state is None or state.models is not models:
        models.keep(thread)
        started = space["_ident"] is not None
        state = space["_started"] = space["_mz"] = ThreadState(models, space.get("_mz_birth") or "0", started)
        if started:
            state.earlier = any(each is thread for each in _actives().values())
    if thread is _MAIN and state.task is None:
        state.task = models.runtime.tasks[0]
    return state


def _actives() -> dict[int, Any]:
    """The living threads of the interpreter, by identifier."""
    actives: dict[int, Any] = _SPACE["_active"]
    return actives


def thread_init(self: Any, *args: Any, **kwargs: Any) -> None:
    """``threading.Thread()``: the default name has the thread's number within its run."""
    models = here()
    if models is None:
        self.__dict__["_mz_birth"] = outside_number(sys._getframe(1))
        _original[threading.Thread, "__init__"](self, *args, **kwargs)
        return
    space = self.__dict__
    if "_mz" in space:
        count_untracked(models.runtime, f"{type(self).__name__}.__init__(), called again")
    if type(self) is _Thread and not args and kwargs.keys() <= _USUAL:
        if space:  # the thread is initialised again
            space.update(_BLANK)
        else:
            space = self.__dict__ = dict(_BLANK)
        space["_mz_birth"] = birth = models.number()
        _init_plain(models, space, **kwargs)
    else:
        space["_mz_birth"] = birth = models.number()
        _init_native(models, self, args, kwargs)
    space["_started"] = space["_mz"] = ThreadState(models, birth)


def _init_native(models: Models, self: Any, args: Any, kwargs: Any) -> None:
    if not (kwargs.get("name") or args[2:] and args[2]):
        names.take_number(models)
    event, _SPACE["Event"] = _SPACE["Event"], Started  # `Thread.__init__` makes one for `_started` only
    try:
        _original[threading.Thread, "__init__"](self, *args, **kwargs)
    finally:
        _SPACE["Event"] = event


#: The attributes of a thread that has just been made, in this version of Python.
_BLANK: Final = dict(threading.Thread(name="blank", daemon=False).__dict__)
_HANDLES: Final = {name: type(value) for name, value in _BLANK.items() if name in ("_handle", "_os_thread_handle")}
_USUAL: Final = frozenset({"target", "name", "args", "kwargs", "daemon"})


def _init_plain(
    models: Models,
    space: dict[str, Any],
    target: Any = None,
    name: Any = None,
    args: Any = (),
    kwargs: Any = None,
    daemon: Any = None,
) -> None:
    """``Thread.__init__`` without its part for threads that outlive their program."""
    if name:
        name = str(name)
    else:
        if not models.runtime.solo:
            names.take_number(models)
        name = _SPACE["_newname"]("Thread-%d")
        known_as = getattr(target, "__name__", _BLANK) if target is not None else _BLANK
        if known_as is not _BLANK:
            name += f" ({known_as})"
    space["_target"] = target
    space["_args"] = args
    space["_kwargs"] = {} if kwargs is None else kwargs
    space["_name"] = name
    space["_daemonic"] = thread_of(models.runtime.current, models).__dict__["_daemonic"] if daemon is None else daemon
    space["_stderr"] = sys.stderr
    if _HANDLES:
        space.update({name: make() for name, make in _HANDLES.items()})


#: The trace functions of each new thread: for the models they are plain values.
_TRACING: Final = ("_trace_hook", "_profile_hook")
_tracing_of: Final = itemgetter(*_TRACING)


def thread_start(self: Any) -> None:
    """``Thread.start``: a fork; ``RuntimeError`` as CPython raises it."""
    models = here()
    if models is None:
        _original[threading.Thread, "start"](self)
        return
    space = self.__dict__
    if not space.get("_initialized"):
        raise RuntimeError("thread.__init__() not called")
    state = space.get("_mz")
    if state is None or state.models is not models or self is _MAIN:
        state = _state(self, models, space)
    runtime = models.runtime
    points = runtime.points
    uses = _uses_start(state, runtime, starts=True) if state.flag or state.lookers else state.mark in points
    identifies = IDENT_POINTS in points
    if uses or identifies or COUNT_POINTS in points:
        _report_start(models, state.target if uses else None)
    started = space["_started"]
    if state.flag if started is state else started.is_set():
        raise RuntimeError("threads can only be started once")
    if started is state:
        state.flag = True
    else:
        started.set()
    state.starter = runtime.current
    if identifies:
        identifiers.pass_on(models)
    trace, profile = _tracing_of(_SPACE)
    tracing = models.tracing
    if trace is not tracing[0] or profile is not tracing[1]:
        _count_tracing(runtime, tracing)
    if contexts.INHERITS or "_context" in space:
        state.context = contexts.chosen(space)
    if len(runtime.live) == 1:
        unwatched_functions.count_replaced(runtime)
    # This is no partial, since a call from C would deepen the stack that every switch has to copy.
    call = alike.call_of(models, self) if runtime.relates else None
    label = space.get("_mz_label") or space["_name"]
    task = runtime.fork(lambda: _live(self, state), daemon=space["_daemonic"], thread=self, label=label)
    if call is not None:
        alike.relate(models, task, call)


def _count_tracing(runtime: Runtime, tracing: tuple[Any, ...]) -> None:
    for name, before in zip(_TRACING, tracing, strict=True):
        if _SPACE[name] is not before:
            count_uncontrolled(runtime, f"threading.{name[1:].removesuffix('_hook')}, set by the program")


def _report_start(models: Models, start: Target | None) -> None:
    """A thread is about to be started: its step writes this, if other threads look at it."""
    runtime = models.runtime
    accesses = [] if start is None else [Access(Op.RMW, start)]
    if IDENT_POINTS in runtime.points:
        accesses += identifiers.looks(models)
    if COUNT_POINTS in runtime.points:
        accesses.insert(0, Access(Op.RMW, THREADS))
    if accesses:
        runtime.visit(accesses[0].op, accesses[0].target, 0, None, tuple(accesses[1:]), point=True)


def _uses_start(state: ThreadState, runtime: Runtime, starts: bool = False) -> bool:
    """Whether the running thread, which starts a thread or tests whether it has been started, must report this.

    It need not report it if it has started the thread itself, nor as long as no other thread is known to use that
    Thread object.
    """
    me = runtime.current
    if state.starter is me:
        return False
    lookers = state.lookers
    if state.flag or starts and lookers and any(each is not me for each in lookers):
        runtime.need_points(state.mark)
    elif not starts and not any(each is me for each in lookers):
        state.lookers = (*lookers, me)
    return state.mark in runtime.points


def _live(thread: Any, state: ThreadState) -> None:
    """The body of a thread, with the effects of ``Thread._bootstrap_inner``."""
    models = state.models
    task = state.task = models.runtime.current
    space = thread.__dict__
    space["_ident"] = space["_native_id"] = models.ident(task) if models.passed_on else ident(task.name)
    try:
        if state.context is None:
            thread.run()
        else:
            contexts.run_in(models, thread, state.context)
    except GreenletExit:
        raise
    except BaseException as error:
        failure = uncaught.failure_of(models, thread, error)
        try:
            if failure is error:
                raise
            if failure is not None:
                raise failure from None
        finally:
            del failure  # its traceback refers to this frame: the cycle would keep the objects of the thread
    if models.leaving:
        models.left(task)


def thread_join(self: Any, timeout: float | None = None) -> None:
    """``Thread.join``: waits for the end, ``timeout`` in virtual seconds; ``RuntimeError`` as CPython raises it."""
    models = here()
    if models is None:
        _original[threading.Thread, "join"](self, timeout)
        return
    space = self.__dict__
    if not space.get("_initialized"):
        raise RuntimeError("Thread.__init__() not called")
    state = space.get("_mz")
    if state is None or state.models is not models or self is _MAIN:
        state = _state(self, models, space)
    runtime = models.runtime
    if state.starter is not runtime.current and _uses_start(state, runtime):
        runtime.visit(Op.READ, state.target, 0, point=True)
    started = space["_started"]
    if not (state.flag if started is state else started.is_set()):
        raise RuntimeError("cannot join thread before it is started")
    if state.earlier is not None:
        if state.earlier:
            runtime.stop(f"a thread waits for {space['_name']}, which was started before the check")
        return
    task = state.task
    if task is None or task is runtime.current:
        raise RuntimeError("cannot join current thread")
    if timeout is not None:
        timeout = max(timeout, 0)
    if timeout is None or timeout > 0:
        runtime.join(task, timeout, waiting_for=task)
        if len(runtime.live) == 1 and runtime.current.index == 0:
            natives.note_alone(runtime)
    else:
        runtime.need_points(END_POINTS)
        runtime.attempt(Op.JOIN, (THREAD, task.name), lambda: task.done)


def thread_is_alive(self: Any) -> bool:
    """``Thread.is_alive``: a read of the thread's start and end."""
    models = here()
    if models is None:
        return bool(_original[threading.Thread, "is_alive"](self))
    assert self._initialized, "Thread.__init__() not called"
    state = _state(self, models, self.__dict__)
    runtime = models.runtime
    if _uses_start(state, runtime):
        runtime.visit(Op.READ, state.target, 0, point=True)
    task = state.task
    if task is None:
        return bool(state.earlier)
    runtime.need_points(END_POINTS)
    runtime.visit(Op.READ, task.life, 0, point=True)
    return not task.done


def look_at_start(models: Models, thread: Any) -> Task | None:
    """Pass the step of looking whether a thread has been started; returns its task if so. For a thread that looks at
    itself there is no step."""
    state = _state(thread, models, thread.__dict__)
    runtime = models.runtime
    began_before = state.flag and state.starter is None  # for instance, the main thread
    if state.task is not runtime.current and not began_before and _uses_start(state, runtime):
        runtime.visit(Op.READ, state.target, 0, point=True)
    return state.task


def look_at_earlier(models: Models, thread: Any) -> bool | None:
    """Whether a thread that was started before the run is alive; None for other threads."""
    return _state(thread, models, thread.__dict__).earlier


def look_at_life(models: Models, thread: Any) -> Task | None:
    """Pass the steps of looking whether a thread has been started, and whether it has ended; returns its task if it was
    started."""
    task = look_at_start(models, thread)
    if task is not None and task is not models.runtime.current:
        models.runtime.need_points(END_POINTS)
        models.runtime.visit(Op.READ, task.life, 0, point=True)
    return task


# -- functions of threading ------------------------------------------------------------------------------------------


def thread_of(task: Task, models: Models) -> Any:
    """The Thread object of a task; one that ``_thread`` started gets a dummy, as in CPython."""
    thread = task.thread
    if thread is None:
        if task.index == 0:
            thread = _MAIN
        else:
            thread = _Dummy.__new__(_Dummy)
            thread_init(thread, name=_SPACE["_newname"]("Dummy-%d"), daemon=True)
            thread._started.set()
            _state(thread, models, thread.__dict__).task = task
            thread.__dict__.update(_ident=models.ident(task), _native_id=models.ident(task))
        task.thread = thread
    return thread


def current_thread() -> Any:
    """``threading.current_thread``."""
    models = here()
    if models is None:
        return _real_threading["current_thread"]()
    identifiers.ask_own(models)
    models.runtime.tell_apart(models.runtime.current)
    return thread_of(models.runtime.current, models)


def alive_tasks(models: Models) -> list[Task]:
    """The live threads, as a thread sees them that looks at the list."""
    runtime = models.runtime
    identifiers.ask_all(models)
    runtime.need_points(END_POINTS)
    runtime.need_points(COUNT_POINTS)
    runtime.visit(Op.READ, THREADS, 0, point=True)
    return list(runtime.live)


def enumerate_threads() -> list[Any]:
    """``threading.enumerate``: a read of the starts and ends of all threads."""
    models = here()
    if models is None:
        return list(_real_threading["enumerate"]())
    alive = [thread_of(task, models) for task in alive_tasks(models) if task.thread is not None or task.index == 0]
    for task in models.runtime.tasks:
        models.runtime.tell_apart(task)
    return [*alive, *earlier_threads.waiting]


def active_count() -> int:
    """``threading.active_count``: as many as :func:`enumerate_threads` lists."""
    models = here()
    return int(_real_threading["active_count"]()) if models is None else len(enumerate_threads())


def _registered(call: Any) -> Any:
    """The function that ``_register_atexit`` has got: CPython keeps a partial of it or, from 3.13 on, a closure."""
    cells = getattr(call, "__closure__", None) or ()
    names = call.__code__.co_freevars if cells else ()
    found = {name: cell.cell_contents for name, cell in zip(names, cells, strict=True)}
    return found.get("func", getattr(call, "func", call))


#: id of a callback of `concurrent.futures.thread` -> the callback, and the globals of that module.
_of_pools: Final[dict[int, tuple[Any, dict[str, Any]]]] = {}


def finish_main() -> None:
    """The steps of the interpreter when the main thread has ended: callbacks of ``_register_atexit``, last one first.

    To be called at the end of the main thread's body, in its task; the runtime then waits for all threads that are no
    daemons. ``concurrent.futures.process`` is left out: a pool of processes belongs to the process that runs the
    checks.
    """
    models = here()
    if models is None:
        return
    for call in reversed(list(_SPACE["_threading_atexits"])):
        known = _of_pools.get(id(call))
        if known is None or known[0] is not call:
            function = _registered(call)
            owner = getattr(function, "__module__", "")
            if owner != "concurrent.futures.thread":
                if owner != "concurrent.futures.process":
                    call()
                continue
            known = _of_pools[id(call)] = call, function.__globals__
        space = known[1]
        if space["_threads_queues"] or SUBMIT_POINTS in models.runtime.points:
            call()
        else:
            space["_shutdown"] = True  # the only effect of the callback without a pool, except for taking a lock


#: Named as untracked.
_OF_DAEMONS: Final = "threads that daemons start, for which the end of the program waits"


def wait_for_all() -> None:
    """Have the running thread, the main one at its end, wait for all threads that are no daemons, as the interpreter
    would.

    Which ones these are has to follow from what it reads: those that it has started, whether they have ended or not,
    and after each of them those that this one has started. It can't see which ones a daemon starts meanwhile.
    """
    models = here()
    if models is None:
        return
    runtime = models.runtime
    waiting = runtime.started_by(runtime.current)
    while waiting:
        task = waiting.pop(0)
        runtime.join(task, waiting_for=task, more=(Access(Op.READ, started_by(task.name)),))
        waiting[:0] = runtime.started_by(task)
    while others := [task for task in runtime.live if not task.daemon and task is not runtime.current]:
        runtime.untracked[_OF_DAEMONS] = 1
        runtime.join(others[0], waiting_for=others[0])


#: class -> attribute -> its replacement.
REPLACEMENTS: Final[dict[type, dict[str, Any]]] = {
    threading.Thread: {
        "__init__": thread_init,
        "start": thread_start,
        "join": thread_join,
        "is_alive": thread_is_alive,
        "__hash__": hash_of_birth,
    },
    _Dummy: {"is_alive": lambda self: thread_is_alive(self) if here() else _original[_Dummy, "is_alive"](self)},
}


def install() -> Callable[[], None]:
    """Replace the methods; returns the function that puts the real ones back."""
    return replace(REPLACEMENTS, _original)


# -- state of the modules --------------------------------------------------------------------------------------------


#: The globals of ``threading`` that are saved before a run and put back after it.
_SAVED: Final = ("excepthook", *_TRACING, "_counter", "_dangling")
_saved_of: Final = itemgetter(*_SAVED)


def _keep_modules(models: Models) -> None:
    """Save the state of ``threading`` and ``concurrent.futures.thread`` that a run changes; give the run a registry of
    pools."""
    saved = _saved_of(_SPACE)
    models.tracing = _tracing_of(_SPACE)
    _SPACE["_counter"] = itertools.count(1).__next__
    _SPACE["_dangling"] = _registry(WeakSet)
    models.keep(_MAIN)
    space = _MAIN.__dict__
    space["_started"] = space["_mz"] = ThreadState(models, "main", started=True)
    space["_ident"] = space["_native_id"] = 1
    atexits = _SPACE["_threading_atexits"]
    before = list(atexits)
    pools = sys.modules.get("concurrent.futures.thread")
    kept: dict[str, Any] = {}
    if pools is not None:
        space = pools.__dict__
        kept = {"_shutdown": space["_shutdown"], "_threads_queues": space["_threads_queues"]}
        space["_threads_queues"] = _registry(WeakKeyDictionary)

    def undo() -> None:
        _SPACE.update(zip(_SAVED, saved, strict=True))
        atexits[:] = before
        if pools is not None:
            pools.__dict__.update(kept)

    models.undo.append(undo)


#: A registry of threads and one of pools, which serve further runs as long as no run has added an entry.
_unused: Final[dict[type, Any]] = {}


def _registry(kind: type) -> Any:
    found = _unused.get(kind)
    if found is None or found.data or getattr(found, "_iterating", None):
        found = _unused[kind] = kind()
    return found


for _model in (current_thread, enumerate_threads, active_count):
    _model.__module__ = "threading"
enumerate_threads.__name__ = enumerate_threads.__qualname__ = "enumerate"

_run.beginners.append(_keep_modules)
