"""Model of ``multiprocessing``'s locks and semaphores, as far as the threads of one process use them.

Some libraries guard a terminal with ``multiprocessing.RLock`` though they only have threads. The real lock would let
every greenlet in (they share one OS thread), or block the process. So inside a run the C part of it, ``_semlock``, is a
modelled lock. Other processes are no part of a run; starting one is counted (:mod:`.uncontrolled`).
"""

from __future__ import annotations

import contextlib
import importlib
import os
import sys
import threading
from collections.abc import Callable
from typing import Any, Final

from mazurka.program.python.primitives.locks import RLock, allocate_lock
from mazurka.program.python.primitives.run import Models, here

_real_getpid: Final = os.getpid

_RECURSIVE: Final = 0  # `multiprocessing.synchronize.RECURSIVE_MUTEX`


class SemLock:
    """Stands in for a ``_multiprocessing.SemLock``: outside runs it uses the real one, inside a modelled primitive."""

    def __init__(self, real: Any) -> None:
        self._real = real
        self._models: Models | None = None
        self._inner: Any = None

    def _model(self) -> Any:
        """The primitive to use now; None for the real one."""
        models = here()
        if models is None:
            return None
        if self._models is not models:
            self._models = models
            if self._real.kind == _RECURSIVE:
                self._inner = RLock()
            elif self._real.maxvalue == 1 and self._real._get_value() == 1:
                self._inner = allocate_lock()
            else:
                self._inner = threading.Semaphore(self._real._get_value())
        return self._inner

    def acquire(self, block: bool = True, timeout: float | None = None) -> bool:
        """As the real one; within this process, by the model."""
        model = self._model()
        if model is None:
            return bool(self._real.acquire(block, timeout))
        if not block or timeout is None:
            return bool(model.acquire(block))
        return bool(model.acquire(True, max(timeout, 0.0)))

    def release(self) -> None:
        """As the real one, with its errors: ``AssertionError`` for a lock not owned, ``ValueError`` for one too
        many."""
        model = self._model()
        if model is None:
            self._real.release()
            return
        if isinstance(model, RLock) and not model._is_owned():
            raise AssertionError("attempt to release recursive lock not owned by thread")
        try:
            model.release()
        except RuntimeError:
            raise ValueError("semaphore or lock released too many times") from None

    def __enter__(self) -> bool:
        return self.acquire()

    def __exit__(self, *exc_info: object) -> None:
        self.release()

    def _is_mine(self) -> bool:
        model = self._model()
        return bool(
            self._real._is_mine() if model is None else model._is_owned() if isinstance(model, RLock) else False
        )

    def _get_value(self) -> int:
        model = self._model()
        if model is None:
            return int(self._real._get_value())
        return int(model._value) if isinstance(model, threading.Semaphore) else int(not model.locked())

    def _is_zero(self) -> bool:
        return self._get_value() == 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self._real, name)  # handle, name, kind, maxvalue, _count, _after_fork


class _UnnamedSemaphore:
    """Takes the place of a semaphore of the system in a lock made inside a run: the semaphore would have a name, which
    each execution would make again."""

    name = None
    handle = 0

    def __init__(self, kind: int, value: int, maxvalue: int) -> None:
        self.kind, self.maxvalue = kind, maxvalue
        self._value = value

    def acquire(self, _block: bool = True, _timeout: float | None = None) -> bool:
        """The run is over: no other process has the semaphore."""
        return True

    def release(self) -> None:
        pass

    def _get_value(self) -> int:
        return self._value

    def _is_mine(self) -> bool:
        return False

    def _count(self) -> int:
        return 0

    def _after_fork(self) -> None:
        pass


def _getpid() -> int:
    return os.getpid()  # the function is replaced and put back


def adopt_semlock(lock: Any) -> None:
    """Put the stand-in into a lock of ``multiprocessing.synchronize``."""
    if not isinstance(lock._semlock, SemLock):
        lock._semlock = SemLock(lock._semlock)
        lock.acquire = lock._semlock.acquire
        lock.release = lock._semlock.release


def install() -> Callable[[], None] | None:
    """Give new and existing locks the stand-in; returns the function that undoes this, or None while
    ``multiprocessing`` is not loaded."""
    context: Any = sys.modules.get("multiprocessing.context")
    if context is not None:  # its first use would load modules, and look for a folder for files, during a run
        getattr(context._default_context, "_default_context", None)
        with contextlib.suppress(ImportError):
            importlib.import_module("multiprocessing.queues")
            importlib.import_module("multiprocessing.synchronize")
    module: Any = sys.modules.get("multiprocessing.synchronize")
    if module is None:
        return None
    cls = module.SemLock
    original = cls._make_methods

    def make_methods(self: Any) -> None:
        original(self)
        adopt_semlock(self)

    made = cls.__init__

    def initialise(self: Any, kind: int, value: int, maxvalue: int, *, ctx: Any) -> None:
        if here() is None:
            made(self, kind, value, maxvalue, ctx=ctx)
            return
        used = ctx or module.context._default_context.get_context()
        self._semlock, self._is_fork_ctx = _UnnamedSemaphore(kind, value, maxvalue), used.get_start_method() == "fork"
        self._make_methods()

    state = cls.__getstate__

    def sent(self: Any) -> Any:
        models = here()
        if models is not None and not self._is_fork_ctx and isinstance(self._semlock._real, _UnnamedSemaphore):
            module.context.assert_spawning(self)
            models.runtime.stop("the run was cut where a lock is sent to a process: only forked processes share it")
        return state(self)

    cls._make_methods, cls.__init__, cls.__getstate__ = make_methods, initialise, sent
    # Finalizers test whether this is their process; a forked child, in which a run is made, counts as its parent.
    finalize = vars(sys.modules["multiprocessing.util"])["Finalize"].__call__
    defaults = finalize.__defaults__
    finalize.__defaults__ = tuple([_getpid if each is _real_getpid else each for each in defaults])
    for each in list(vars(sys.modules["multiprocessing.util"])["_afterfork_registry"].values()):
        if isinstance(each, cls):
            adopt_semlock(each)

    def undo() -> None:
        cls._make_methods, cls.__init__, cls.__getstate__ = original, made, state
        finalize.__defaults__ = defaults

    return undo
