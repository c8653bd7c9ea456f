"""Attributes of Thread objects whose changes other threads see: name, identifier, whether the thread is a daemon.

``name`` is a location (:mod:`.names`), and so is ``daemon``; setting ``daemon`` reads whether the thread has been
started, and so do the identifiers, which it has from then on. Its target and arguments must not change once it was
started. The private attributes that hold these values count like the public ones. Other private attributes, also of
futures and executors, are untracked.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, Final

from mazurka.program.python.primitives import identifiers, names
from mazurka.program.python.primitives.private import Private, replace
from mazurka.program.python.primitives.run import Models, count_untracked, here
from mazurka.program.python.primitives.steps import pass_step, read, write
from mazurka.program.python.primitives.threads import look_at_earlier, look_at_life, look_at_start
from mazurka.program.runtime.task import POOL_POINTS
from mazurka.trace.event import Op
from mazurka.trace.targets import Kind

_original: Final[dict[tuple[type, str], Any]] = {}


def _name(models: Models, thread: Any, op: Op) -> None:
    if op is Op.READ:
        names.look(models, thread)
    else:
        names.change_name(models, thread)


def _daemon(models: Models, thread: Any, op: Op) -> None:
    place = (Kind.DAEMON.tag, str(thread.__dict__.get("_mz_birth") or "0")), "whether a thread is a daemon"
    pass_step(models, read(*place) if op is Op.READ else write(*place))
    if op is not Op.READ:
        look_at_start(models, thread)  # last, since it decides whether the assignment fails


def _identifier(models: Models, thread: Any, op: Op) -> None:
    task = look_at_start(models, thread)
    if task is not None:
        identifiers.reveal(models, task)


def _call(models: Models, thing: Any, op: Op) -> None:
    """A thread's target and arguments are used: the thread reads them after it was started."""
    if op is Op.READ or "_mz_birth" not in thing.__dict__:
        return
    task = look_at_start(models, thing)
    if task is not None and task is not models.runtime.current:
        count_untracked(models.runtime, "a change of a thread's target or arguments, once it was started,")


def _workers(models: Models, _executor: Any, _op: Op) -> None:
    """The threads of an executor are looked at: the abstract model has other ones."""
    models.runtime.need_points(POOL_POINTS)
    count_untracked(models.runtime, "ThreadPoolExecutor._threads")


def _reported(name: str, report: Callable[[Models, Any, Op], None]) -> property:
    """CPython's own property, whose use is reported."""

    def get(self: Any) -> Any:
        models = here()
        if models is not None and self.__dict__.get("_initialized"):
            report(models, self, Op.READ)
        return _original[threading.Thread, name].fget(self)

    def put(self: Any, value: Any) -> None:
        models = here()
        if models is not None and self.__dict__.get("_initialized"):
            report(models, self, Op.WRITE)
        _original[threading.Thread, name].fset(self, value)

    real = vars(threading.Thread)[name]
    return property(get, put if real.fset is not None else None, doc=real.__doc__)


def thread_repr(self: Any) -> str:
    """``repr(thread)`` reads whether the thread has started and ended."""
    models = here()
    if models is None:
        return str(_original[threading.Thread, "__repr__"](self))
    assert self._initialized, "Thread.__init__() was not called"
    task = look_at_life(models, self)
    alive = look_at_earlier(models, self) if task is None else not task.done
    status = {None: "initial", True: "started", False: "stopped"}[alive]
    _daemon(models, self, Op.READ)
    daemon = " daemon" if self._daemonic else ""
    _name(models, self, Op.READ)
    ident = f" {self._ident}" if self._ident is not None else ""
    return f"<{type(self).__name__}({self._name}, {status}{daemon}{ident})>"


#: Private attributes in some versions of Python or in all.
_PRIVATE: Final = ("_started", "_is_stopped", "_tstate_lock", "_handle", "_os_thread_handle", "_context")

#: class -> attribute -> its replacement.
REPLACEMENTS: Final[dict[type, dict[str, Any]]] = {
    threading.Thread: {
        "name": _reported("name", _name),
        "daemon": _reported("daemon", _daemon),
        "ident": _reported("ident", _identifier),
        "native_id": _reported("native_id", _identifier),
        "_name": Private("_name", _name),
        "_daemonic": Private("_daemonic", _daemon),
        "_ident": Private("_ident", _identifier),
        "_native_id": Private("_native_id", _identifier),
        **{name: Private(name) for name in _PRIVATE},
        **{name: Private(name, _call) for name in ("_target", "_args", "_kwargs")},
        "__repr__": thread_repr,
    },
    threading.Timer: {name: Private(name, _call) for name in ("interval", "function", "args", "kwargs", "finished")},
    Future: {name: Private(name) for name in ("_state", "_result", "_exception", "_waiters", "_done_callbacks")},
    ThreadPoolExecutor: {
        "_threads": Private("_threads", _workers),
        **{name: Private(name) for name in ("_shutdown", "_broken")},
    },
}


def install() -> Callable[[], None]:
    """Replace the attributes; returns the function that puts the real ones back."""
    return replace(REPLACEMENTS, _original)
