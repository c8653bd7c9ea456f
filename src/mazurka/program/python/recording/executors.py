"""Tasks of thread pools in a recording: threads of their own, as in a run under control.

The worker of a ``ThreadPoolExecutor`` that does a task is chosen by chance, and so are its tasks before that one.
Certain is that a task begins after it was submitted, that its result is there after it, and that no more tasks are
under way at once than the executor has workers. So each task is recorded as a thread that the submitting one starts
(FORK) and that the worker joins when it is done, before its result is known; the synchronisation of workers with each
other orders no tasks.

There are as many *places* as workers. Each task gets the place that has been free for longest, and comes after the task
that had it before, by an update (RMW). So no order of the trace has more tasks under way than there are workers. The
tasks of an executor with one worker are recorded as steps of this worker: they come one after the other.

So are tasks that may leave state with their worker for the next one: if there is an initializer, if an earlier task has
set a context variable there, and if code of the program contains a name by which it gets at state of a thread, or at
its identity (:data:`_OF_THREADS`).

Cost: some microseconds a task, and a look at the text of each instrumented file.
"""

from __future__ import annotations

import functools
import re
import threading
from collections import deque
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from itertools import count
from pathlib import Path
from typing import Any, Final
from weakref import WeakKeyDictionary, WeakSet

from mazurka.program.python.instrument import sites
from mazurka.program.python.recording import locks
from mazurka.program.python.recording.invocations import RecordedInvocations
from mazurka.program.python.recording.library_calls import submitting
from mazurka.program.python.recording.recorder import Recorder
from mazurka.trace.event import Op
from mazurka.trace.targets import HIDDEN, THREAD

#: Names in code that keeps state for one thread, or by thread.
_OF_THREADS: Final = re.compile(
    rb"\b(local|get_ident|get_native_id|current_thread|currentThread|contextvars|ContextVar|getcontext|localcontext)\b"
)

#: Executors with an initializer.
_initialized: Final[WeakSet[Any]] = WeakSet()

#: Executor -> its free places.
_free: Final[WeakKeyDictionary[Any, deque[int]]] = WeakKeyDictionary()

_places: Final = count()


def patches(recorder: Recorder) -> list[tuple[Any, str, Callable[..., Any]]]:
    """The replacements: owner, name, function."""
    observer = RecordedInvocations(recorder)
    return [
        (ThreadPoolExecutor, "submit", submitting(observer, _submitting(recorder, ThreadPoolExecutor.submit))),
        (ThreadPoolExecutor, "__init__", _initializing(ThreadPoolExecutor.__init__)),
    ]


def is_worker(thread: threading.Thread) -> bool:
    """Whether a thread is one of an executor whose tasks are recorded as threads."""
    target, arguments = getattr(thread, "_target", None), getattr(thread, "_args", ())
    executor = (
        arguments[0]() if getattr(target, "__module__", "") == "concurrent.futures.thread" and arguments else None
    )
    return isinstance(executor, ThreadPoolExecutor) and _is_recorded_by_task(executor)


def _is_recorded_by_task(executor: ThreadPoolExecutor) -> bool:
    return executor._max_workers > 1 and executor not in _initialized


@functools.cache
def _keeps_by_thread(file: str) -> bool:
    """Whether a file has code that may keep state for one thread."""
    try:
        return _OF_THREADS.search(Path(file).read_bytes()) is not None
    except OSError:
        return True


def _initializing(init: Callable[..., None]) -> Callable[..., None]:
    @functools.wraps(init)
    def initializing(self: ThreadPoolExecutor, *args: Any, **named: Any) -> None:
        init(self, *args, **named)
        if args[2:] or named.keys() - {"max_workers", "thread_name_prefix"}:
            _initialized.add(self)

    return initializing


def _submitting(recorder: Recorder, submit: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(submit)
    def submitting(self: ThreadPoolExecutor, fn: Callable[..., Any], /, *args: Any, **named: Any) -> Any:
        if not _is_recorded_by_task(self):
            return submit(self, fn, *args, **named)
        if self not in _free:
            _free[self] = deque(next(_places) for _ in range(self._max_workers))
        name = recorder.birth()
        recorder.visit(Op.FORK, (THREAD, name), locks.place())
        return submit(self, _task(recorder, name, _free[self], fn), *args, **named)

    return submitting


def _task(recorder: Recorder, name: str, free: deque[int], fn: Callable[..., Any]) -> Callable[..., Any]:
    def task(*args: Any, **named: Any) -> Any:
        if len(copy_context()) or any(map(_keeps_by_thread, tuple(sites.instrumented))):
            return fn(*args, **named)
        place = free.popleft()
        slot = (HIDDEN, "place", place)
        with recorder.acting(name):
            recorder.visit(Op.BEGIN, (THREAD, name), 0)
            recorder.visit(Op.RMW, slot, 0)
            try:
                return fn(*args, **named)
            finally:
                recorder.visit(Op.RMW, slot, 0)
                free.append(place)
                recorder.visit(Op.END, (THREAD, name), 0)

    return task
