"""Models of ``_thread``'s functions: threads without a Thread object, and identifiers.

Departure: ``interrupt_main`` from another thread is counted, not done.
"""

from __future__ import annotations

import _thread
import sys
import types
from typing import Any, Final

from greenlet import GreenletExit

from mazurka.program.protocol import Access
from mazurka.program.python.primitives import identifiers
from mazurka.program.python.primitives.callbacks import called
from mazurka.program.python.primitives.run import Models, here
from mazurka.program.python.primitives.threads import alive_tasks
from mazurka.program.python.primitives.uncaught import is_users
from mazurka.program.runtime.task import COUNT_POINTS, END_POINTS, Task
from mazurka.trace.event import Op
from mazurka.trace.targets import THREAD, THREADS

_real: Final[dict[str, Any]] = {name: getattr(_thread, name) for name in dir(_thread)}
_FORMATS: Final[bool] = sys.version_info >= (3, 13)  # whether the hook's message names the function


def _identify(models: Models) -> int:
    """The identifier of the running thread."""
    task = models.runtime.current
    identifiers.reveal(models, task)
    return models.ident(task)


def get_ident() -> int:
    """``threading.get_ident``: the same number for the same thread in all executions."""
    models = here()
    return int(_real["get_ident"]()) if models is None else _identify(models)


def get_native_id() -> int:
    """``threading.get_native_id``: the number of :func:`get_ident`."""
    models = here()
    return int(_real["get_native_id"]()) if models is None else _identify(models)


def count() -> int:
    """``_thread._count``: the number of living threads, without the main one."""
    models = here()
    if models is None:
        return int(_real["_count"]())
    return len(alive_tasks(models)) - 1


def _check_start_arguments(function: Any, args: Any, kwargs: Any) -> None:
    if not callable(function):
        raise TypeError("first arg must be callable")
    if not isinstance(args, tuple):
        raise TypeError("2nd arg must be a tuple")
    if kwargs is not None and not isinstance(kwargs, dict):
        raise TypeError("optional 3rd arg must be a dictionary")


def start_new_thread(function: Any, args: Any, kwargs: Any = None, /) -> int:
    """``_thread.start_new_thread``: a daemon; returns its number."""
    models = here()
    if models is None:
        return int(_real["start_new_thread"](function, args, *(() if kwargs is None else (kwargs,))))
    _check_start_arguments(function, args, kwargs)
    task = _start_plain(models, function, args, kwargs or {}, daemon=True)
    identifiers.reveal(models, task)
    return models.ident(task)


def _start_plain(models: Models, function: Any, args: Any, kwargs: Any, *, daemon: bool) -> Task:
    call: list[Any] = [function, args, kwargs]

    def live() -> None:
        named, positional, keyword = call
        call.clear()  # the function must not live longer than the call
        try:
            called(named, *positional, **keyword)
        except SystemExit:
            pass
        except GreenletExit:
            raise
        except BaseException as error:
            if not models.runtime.aborting and is_users(sys.unraisablehook, sys.__unraisablehook__):
                sys.unraisablehook(_unraisable(error, named))
            raise
        models.left(models.runtime.current)

    del function, args, kwargs
    counted = (Access(Op.RMW, THREADS),) if COUNT_POINTS in models.runtime.points else ()
    accesses = (*counted, *identifiers.looks(models))
    if accesses:
        models.runtime.visit(accesses[0].op, accesses[0].target, 0, None, accesses[1:], point=True)
    identifiers.pass_on(models)
    return models.runtime.fork(live, daemon=daemon)


def _unraisable(error: BaseException, function: Any) -> Any:
    return types.SimpleNamespace(
        exc_type=type(error),
        exc_value=error,
        exc_traceback=error.__traceback__,
        err_msg="Exception ignored in thread started by" + (f" {function!r}" if _FORMATS else ""),
        object=None if _FORMATS else function,
    )


def interrupt_main(signum: int = 2, /) -> None:
    """``_thread.interrupt_main``: uncontrolled, unless the main thread calls it."""
    models = here()
    if models is None or models.runtime.current.index == 0:
        _real["interrupt_main"](signum)
    else:
        uncontrolled = models.runtime.uncontrolled
        uncontrolled["_thread.interrupt_main"] = uncontrolled.get("_thread.interrupt_main", 0) + 1


class ThreadHandle:
    """``_thread._ThreadHandle`` of a thread that :func:`start_joinable_thread` started in a run."""

    __slots__ = ("_models", "_task", "ident")

    def __init__(self) -> None:
        self.ident: int | None = None
        self._task: Task | None = None
        self._models = here()

    def is_done(self) -> bool:
        """Whether the thread has ended: a read of its end."""
        models = here()
        task = self._task
        if task is None or models is None:
            return task is not None and task.done
        models.runtime.need_points(END_POINTS)
        models.runtime.visit(Op.READ, (THREAD, task.name), 0, point=True)
        return task.done

    def _set_done(self) -> None:
        if self._task is None:
            raise RuntimeError("thread not started")

    def join(self, timeout: float | None = None) -> None:
        """Wait for the thread's end, ``timeout`` in virtual seconds; ``RuntimeError`` as CPython raises it."""
        models = here()
        task = self._task
        if task is None:
            raise RuntimeError("thread not started")
        if models is None:
            return
        if task is models.runtime.current:
            raise RuntimeError("Cannot join current thread")
        models.runtime.join(task, timeout if timeout is None or timeout >= 0 else None, waiting_for=task)


def start_joinable_thread(function: Any, handle: Any = None, daemon: bool = True) -> Any:
    """``_thread.start_joinable_thread`` (3.13): returns a :class:`ThreadHandle`."""
    models = here()
    if models is None:
        if isinstance(handle, ThreadHandle):
            handle = None
        return _real["start_joinable_thread"](function, handle=handle, daemon=daemon)
    if not callable(function):
        raise TypeError("thread function must be callable")
    if not isinstance(handle, ThreadHandle):
        if handle is not None and not isinstance(handle, _real["_ThreadHandle"]):
            raise TypeError("'handle' must be a _ThreadHandle")
        handle = ThreadHandle()
    if handle._task is not None:
        raise RuntimeError("thread already started")

    def body() -> object:
        task = models.runtime.current
        handle._task = task
        handle.ident = models.ident(task)
        return function()

    handle._task = _start_plain(models, body, (), {}, daemon=daemon)
    return handle


for _model in (get_ident, get_native_id, start_new_thread, start_joinable_thread):
    _model.__module__ = "_thread"
