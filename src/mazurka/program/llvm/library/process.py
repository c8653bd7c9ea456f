"""The process: its end, assertions, the environment, and time.

Source: C17, 7.2 and 7.22.4; POSIX.1-2017. Time is virtual and begins at the same moment in every execution.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

from mazurka.program.llvm.faults import ProcessExit, ProgramFault
from mazurka.program.llvm.library.threads import EPOCH
from mazurka.program.protocol import FailureKind

if TYPE_CHECKING:
    from mazurka.program.llvm.machine import Machine


def _assertion_failed(m: Machine, site: int, text: int, _file: int, _line: int, _function: int) -> None:
    words = m.memory.text(text, site).decode(errors="replace")
    raise ProgramFault("assertion", f"assertion failed: {words}", site, FailureKind.ASSERTION)


def _abort(_m: Machine, site: int) -> None:
    raise ProgramFault("abort", "calls abort()", site)


def exit_process(m: Machine, site: int, status: int) -> None:
    """``exit``: the functions of ``atexit`` are called, the last one first, in the thread that calls it."""
    m.threads.leave(m.run.current)
    while functions := m.state.get("atexit"):
        function, *arguments = functions.pop()
        m.call(function, site, *arguments)
    for function in m.destructors():
        m.call(function, site)
    raise ProcessExit(status & 255)


def _exit(_m: Machine, _site: int, status: int) -> None:
    raise ProcessExit(status & 255)


def at_exit(m: Machine, _site: int, function: int, *arguments: int) -> int:
    """``atexit``; the arguments are the function's."""
    if not m.run.solo:
        text = "atexit() beside other threads, whose order is that of the functions"
        m.run.untracked[text] = m.run.untracked.get(text, 0) + 1
    m.state.setdefault("atexit", []).append((function, *arguments))
    return 0


def _getenv(_m: Machine, _site: int, _name: int) -> int:
    return 0


def _time(m: Machine, site: int, place: int) -> int:
    now = int(EPOCH + m.run.now())
    if place:
        m.memory.store(place, 8, now, site)
    return now


def _clock(m: Machine, site: int, _clock: int, place: int) -> int:
    now = EPOCH + m.run.now()
    m.memory.store(place, 8, int(now), site)
    m.memory.store(place + 8, 8, int(now % 1 * 1e9), site)
    return 0


def _time_of_day(m: Machine, site: int, place: int, _zone: int) -> int:
    now = EPOCH + m.run.now()
    m.memory.store(place, 8, int(now), site)
    m.memory.store(place + 8, 8, int(now % 1 * 1e6), site)
    return 0


def _nanosleep(m: Machine, site: int, wanted: int, _rest: int) -> int:
    seconds = int.from_bytes(m.memory.read(wanted, 8, site), "little")
    nanoseconds = int.from_bytes(m.memory.read(wanted + 8, 8, site), "little")
    m.run.sleep(seconds + nanoseconds / 1e9)
    return 0


def _limit(m: Machine, site: int, _resource: int, place: int) -> int:
    m.memory.write(place, (1024).to_bytes(8, "little") + (4096).to_bytes(8, "little"), site)
    return 0


def _error_text(m: Machine, _site: int, number: int) -> int:
    text = os.strerror(number).encode() + b"\0"
    return m.memory.allocate(len(text), "heap", "error text", text).address


def _trap(_m: Machine, site: int) -> None:
    raise ProgramFault("undefined behaviour", "comes to a trap", site)


FUNCTIONS: Final[dict[str, Callable[..., Any]]] = {
    "__assert_fail": _assertion_failed,
    "abort": _abort,
    "exit": exit_process,
    "_exit": _exit,
    "_Exit": _exit,
    "quick_exit": _exit,
    "atexit": at_exit,
    "getenv": _getenv,
    "time": _time,
    "clock": lambda m, site: int(m.run.now() * 1e6),
    "clock_gettime": _clock,
    "gettimeofday": _time_of_day,
    "nanosleep": _nanosleep,
    "setlocale": lambda m, site, category, name: 0,
    "getrlimit": _limit,
    "setrlimit": lambda m, site, resource, place: 0,
    "strerror": _error_text,
    "sysconf": lambda m, site, name: 4,
    "llvm.trap": _trap,
    "llvm.debugtrap": _trap,
}
