"""Threads that tell a recorder when they begin and end, who started them and who waited for them.

All that starts a thread ends in ``_thread.start_new_thread`` or, from Python 3.13 on, ``start_joinable_thread``; that
is what `threading` is given other functions for. A join is told when ``Thread.join`` has returned and the thread has
ended.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable
from typing import Any, Final

from mazurka.program.python.recording import locks
from mazurka.program.python.recording.recorder import Recorder
from mazurka.trace.event import Op

_STARTERS: Final = ("_start_new_thread", "_start_joinable_thread")


def install(recorder: Recorder) -> Callable[[], None]:
    """Let `threading` and `queue` tell ``recorder``; returns how to undo that."""
    patches: list[tuple[Any, str, Any]] = [
        (threading, "Lock", locks.make_lock),
        (threading, "_allocate_lock", locks.make_lock),
        (threading, "RLock", locks.make_rlock),
        (threading.Thread, "join", _joining(recorder, threading.Thread.join)),
        (queue, "SimpleQueue", queue._PySimpleQueue),  # type: ignore[attr-defined]  # the same in Python
    ]
    patches += [
        (threading, name, _starting(recorder, getattr(threading, name)))
        for name in _STARTERS
        if hasattr(threading, name)
    ]
    before = [(owner, name, getattr(owner, name)) for owner, name, _ in patches]
    for owner, name, replacement in patches:
        setattr(owner, name, replacement)

    def undo() -> None:
        for owner, name, original in before:
            setattr(owner, name, original)

    return undo


def _starting(recorder: Recorder, start: Callable[..., Any]) -> Callable[..., Any]:
    def starting(function: Callable[..., Any], *args: Any, **named: Any) -> Any:
        name = recorder.birth()
        thread = getattr(function, "__self__", None)
        if isinstance(thread, threading.Thread):
            thread.__dict__["_mazurka_name"] = name
        recorder.visit(Op.FORK, ("thread", name), locks.place())
        return start(_life(recorder, name, function), *args, **named)

    return starting


def _life(recorder: Recorder, name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    def life(*args: Any, **named: Any) -> Any:
        recorder.adopt(name)
        recorder.visit(Op.BEGIN, ("thread", name), 0)
        try:
            return function(*args, **named)
        finally:
            recorder.visit(Op.END, ("thread", name), 0)

    return life


def _joining(recorder: Recorder, join: Callable[..., None]) -> Callable[..., None]:
    def joining(thread: threading.Thread, timeout: float | None = None) -> None:
        join(thread, timeout)
        name = thread.__dict__.get("_mazurka_name")
        if name is not None and not thread.is_alive():
            recorder.visit(Op.JOIN, ("thread", name), locks.place())

    return joining
