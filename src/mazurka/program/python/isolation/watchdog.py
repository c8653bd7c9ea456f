"""Ends a run that hangs where the runtime can't see it: in a blocking call outside the model, or in opaque code.

All threads of the program share one OS thread, so a real `select` that waits for another of them waits for ever. While
a run lasts, a timer looks once a second whether anything has happened (a step, a loop pass, time spent computing) and
cuts the run when nothing has for a while, or when it takes longer than it may. The exception that ends the thread is
raised in its own frame, as for any other run that is cut; a thread that swallows it again and again is abandoned.

Only where signals can be had (the main OS thread, a system with `setitimer`). Where nothing else uses the timer, it
stays armed between the runs of a program, until :func:`disarm`, a tick without a run, or the end of the process: its
signal would kill an interpreter that has put the default handlers back. Cost: a system call per run.
"""

from __future__ import annotations

import atexit
import importlib
import signal
import threading
from time import perf_counter, process_time
from types import FrameType
from typing import Any, Final

from greenlet import GreenletExit, getcurrent

from mazurka.program.python import outside
from mazurka.program.python.failures import is_ours
from mazurka.program.runtime.runtime import Runtime

#: Seconds between two looks.
_TICK: Final = 1.0

#: Seconds without anything happening after which a run is cut.
_IDLE: Final = 5.0

#: The fraction of a second of computing that counts as something happening.
_BUSY: Final = 0.05

#: How often the end of a thread may be requested before it is abandoned.
_PATIENCE: Final = 3

# Functions of which the program must not replace ours.
_SIGNAL: Final[Any] = importlib.import_module("_signal")  # `signal.signal` converts to enums and back
_set_timer: Final[Any] = getattr(_SIGNAL, "setitimer", None)
_get_timer: Final[Any] = getattr(_SIGNAL, "getitimer", None)
_set_handler: Final[Any] = _SIGNAL.signal
_get_handler: Final[Any] = _SIGNAL.getsignal
_ALARM: Final = int(getattr(signal, "SIGALRM", 0))
_REAL: Final = int(getattr(signal, "ITIMER_REAL", 0))
_DEFAULT: Final = _SIGNAL.SIG_DFL
_ARMED: Final = (_TICK, _TICK)
_OFF: Final = (0.0, 0.0)
_MAIN: Final = threading.main_thread().ident
_get_ident: Final = threading.get_ident


class Watchdog:
    """Watches one run; a context manager around it."""

    def __init__(self, run: Runtime) -> None:
        self._run = run
        self._watches = _set_timer is not None and _get_ident() == _MAIN
        self._hub = getcurrent()
        self._started = self._alive = perf_counter()
        self._seen = (0, 0)
        self._computed = 0.0  # at the last look; a look now would cost as much as the rest
        self._told = 0
        self._before: Any = _tick
        self._timer: tuple[float, float] = _OFF
        self._outer: Watchdog | None = None

    def __enter__(self) -> None:
        global _current
        if self._watches:
            self._outer, _current = _current, self
            if _get_handler(_ALARM) is not _tick or _get_timer(_REAL)[1] != _TICK:
                self._before = _set_handler(_ALARM, _tick)
                self._timer = _set_timer(_REAL, *_ARMED)

    def __exit__(self, *exception: object) -> None:
        global _current
        if self._watches:
            _current = self._outer
            if self._timer != _OFF or self._before not in _UNUSED or _get_handler(_ALARM) is not _tick:
                _set_timer(_REAL, *self._timer)
                _set_handler(_ALARM, _DEFAULT if self._before is None else self._before)

    def look(self, frame: FrameType | None) -> None:
        """The timer's signal: has anything happened since the last one?"""
        run = self._run
        if getcurrent() is self._hub:
            return
        if run.aborting:
            self._told += 1
            if self._told > _PATIENCE:
                run.abandon()
            if self._told > 1:  # most runs end between two signals, and callbacks of objects' ends can't be left
                raise GreenletExit
            return
        now, computed, seen = perf_counter(), process_time(), (len(run.log), run.passes)
        if outside.files.JOURNAL.waits:  # its turn comes when other processes have made their runs
            self._alive, self._started = now, self._started + _TICK
        elif seen != self._seen or computed - self._computed > _BUSY:
            self._alive = now
        self._seen, self._computed = seen, computed
        if now - self._started > run.limits.seconds + _TICK:
            run.stop(f"the run was cut after {run.limits.seconds:g} seconds, {_place(frame)}")
        if now - self._alive > _IDLE:
            run.stop(f"the run was cut: it has been blocked for {_IDLE:g} seconds outside the model, {_place(frame)}")


#: The watchdog of the run in progress.
_current: Watchdog | None = None


def _tick(number: int, frame: FrameType | None) -> None:
    if _current is None:
        disarm()
    else:
        _current.look(frame)


#: Handlers in whose place the timer stays armed: no code waits for these.
_UNUSED: Final = (_tick, _DEFAULT, None)


def disarm() -> None:
    """Let go of the timer and of its signal, if they are ours."""
    if _set_timer is not None and _get_ident() == _MAIN and _get_handler(_ALARM) is _tick:
        _set_timer(_REAL, *_OFF)
        _set_handler(_ALARM, _DEFAULT)


atexit.register(disarm)


def _place(frame: FrameType | None) -> str:
    """Where the program is, in words."""
    while frame is not None and is_ours(frame.f_code.co_filename):
        frame = frame.f_back
    return f"at {frame.f_code.co_filename}:{frame.f_lineno}" if frame is not None else "at an unknown place"
