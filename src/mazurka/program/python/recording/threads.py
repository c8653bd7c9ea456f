"""Threads that report to a recorder: begin, end, start and join.

All ways to start a thread end in ``_thread.start_new_thread`` or, from Python 3.13 on, ``start_joinable_thread``; these
are replaced in `threading`, and for code that gets them from `_thread`. A join is recorded when ``Thread.join`` has
returned and the thread has ended; a join with a time limit, which need not wait, is recorded as an update (RMW) of a
target that the thread updates right before its END. A thread that still runs at the end, a daemon, has no END.

A child that the program forks is not recorded. A program that leaves by ``os._exit`` has its recording finished first.
"""

from __future__ import annotations

import _thread
import os
import queue
import threading
from collections.abc import Callable
from typing import Any, Final, NoReturn

from mazurka.program.python.recording import atomics, conditions, executors, library_calls, locks
from mazurka.program.python.recording.invocations import RecordedInvocations
from mazurka.program.python.recording.library_kinds import RecordedSimpleQueue
from mazurka.program.python.recording.recorder import Recorder
from mazurka.trace.event import Op
from mazurka.trace.targets import HIDDEN, THREAD

_STARTERS: Final = ("_start_new_thread", "_start_joinable_thread")


_LOW_STARTERS: Final = ("start_new_thread", "start_new", "start_joinable_thread")


def install(recorder: Recorder, leave: Callable[[], object]) -> Callable[[], None]:
    """Have `threading` and the like report to ``recorder``, and the process call ``leave`` when it ends at once;
    returns the function that undoes this."""
    patches: list[tuple[Any, str, Any]] = [
        (threading, "Lock", locks.Lock),
        (threading, "_allocate_lock", locks.Lock),
        (threading, "RLock", locks.RLock),
        (threading.Thread, "join", _joining(recorder, threading.Thread.join)),
        (queue, "SimpleQueue", RecordedSimpleQueue),
    ]
    patches += [
        (module, name, _starting(recorder, getattr(module, name)))
        for module, names in ((threading, _STARTERS), (_thread, _LOW_STARTERS))
        for name in names
        if hasattr(module, name)
    ]
    patches += [(_thread, name, locks.LowLock) for name in ("allocate_lock", "allocate")]
    patches += [(_thread, "RLock", locks.LowRLock), (os, "_exit", _leaving(leave))]
    patches += [*atomics.patches(), *conditions.patches(), *executors.patches(recorder)]
    patches += library_calls.patches(RecordedInvocations(recorder))
    before = [(owner, name, getattr(owner, name)) for owner, name, _ in patches]
    for owner, name, replacement in patches:
        setattr(owner, name, replacement)

    def undo() -> None:
        for owner, name, original in before:
            setattr(owner, name, original)

    return undo


def _starting(recorder: Recorder, start: Callable[..., Any]) -> Callable[..., Any]:
    def starting(function: Callable[..., Any], *args: Any, **named: Any) -> Any:
        thread = getattr(function, "__self__", None)
        is_worker = isinstance(thread, threading.Thread) and executors.is_worker(thread)
        name = recorder.nameless_birth() if is_worker else recorder.birth()
        if isinstance(thread, threading.Thread):
            thread.__dict__["_mazurka_name"] = name
        recorder.visit(Op.FORK, (THREAD, name), locks.place())
        return start(_life(recorder, name, function), *args, **named)

    return starting


def _life(recorder: Recorder, name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    def life(*args: Any, **named: Any) -> Any:
        recorder.adopt(name)
        recorder.visit(Op.BEGIN, (THREAD, name), 0)
        try:
            return function(*args, **named)
        finally:
            recorder.visit(Op.RMW, (HIDDEN, "end", name), 0)
            recorder.visit(Op.END, (THREAD, name), 0)

    return life


def _joining(recorder: Recorder, join: Callable[..., None]) -> Callable[..., None]:
    def joining(thread: threading.Thread, timeout: float | None = None) -> None:
        join(thread, timeout)
        name = thread.__dict__.get("_mazurka_name")
        if name is not None and not thread.is_alive():
            if timeout is None:
                recorder.visit(Op.JOIN, (THREAD, name), locks.place())
            else:
                recorder.visit(Op.RMW, (HIDDEN, "end", name), locks.place())

    return joining


def _leaving(leave: Callable[[], object]) -> Callable[[int], NoReturn]:
    real = os._exit

    def leaving(status: int) -> NoReturn:
        leave()
        real(status)

    return leaving
