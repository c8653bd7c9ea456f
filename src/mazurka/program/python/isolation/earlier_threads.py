"""Threads that were started before a check, as by a module when it was imported, or by a fixture of a test session.

They are real threads, which no schedule moves. Their accesses to the program's objects can't be explored, and a thread
of the program that waits for one of them would wait in vain. So a program of which such a thread runs code is explored
only as long as the thread does nothing: it waits for a file or socket, without a limit, in one and the same system
call. Linux reports that of each thread, and the time that it has run so far. Every run is followed by another test;
once the thread has moved, no run counts any more. A verdict says that it rests on this
(:attr:`EarlierThreads.assumption`).

A thread that waits for a lock is not among them: locks of the program are modelled, so nothing would wake it.

Cost: a look at the stack of each thread of the process, once before a check; 20 µs a run for each that waits.
"""

from __future__ import annotations

import os
import platform
import sys
import threading
from types import FrameType
from typing import Final

from mazurka.lazy_dataclass import dataclass
from mazurka.program.python.instrument import sites

#: The threads that were found to wait, by the last program.
waiting: Final[list[threading.Thread]] = []

_NEVER: Final = 0xFFFFFFFF  # a limit of -1, as a number of 32 bits
_NULL: Final = 0

#: System calls that wait for files and sockets, by machine and number: None where a call has no time limit, else the
#: number of the argument (from 1) that is the limit, and its value for no limit.
_WAITING: Final[dict[str, dict[int, tuple[int, int] | None]]] = {
    "x86_64": {
        0: None,  # read
        7: (3, _NEVER),  # poll
        23: (5, _NULL),  # select
        43: None,  # accept
        45: None,  # recvfrom
        47: None,  # recvmsg
        232: (4, _NEVER),  # epoll_wait
        270: (5, _NULL),  # pselect6
        271: (3, _NULL),  # ppoll
        281: (4, _NEVER),  # epoll_pwait
        288: None,  # accept4
    },
    "aarch64": {
        22: (4, _NEVER),  # epoll_pwait
        63: None,  # read
        72: (5, _NULL),  # pselect6
        73: (3, _NULL),  # ppoll
        202: None,  # accept
        207: None,  # recvfrom
        212: None,  # recvmsg
        242: None,  # accept4
    },
}


@dataclass(frozen=True, slots=True)
class _Waiting:
    """A thread that waits, and its progress: its system call, and the time that it has run."""

    words: str
    native: int
    state: str


class EarlierThreads:
    """The earlier threads that run code of a program. ``reason`` says why nothing can be explored, if so."""

    def __init__(self) -> None:
        self._waiting: list[_Waiting] = []
        self.reason = ""

    def look(self) -> None:
        """Find them."""
        waiting.clear()
        known = {each.ident: each for each in threading.enumerate()}
        own = threading.get_ident()
        acting = []
        for ident, frame in sys._current_frames().items():
            place = _in_the_program(frame) if ident != own else None
            if place is None:
                continue
            thread = known.get(ident)
            words = f"{thread.name if thread is not None else 'a thread'}, in {place}"
            native = thread.native_id if thread is not None else None
            state = "" if native is None else _state(native)
            if thread is not None and native is not None and state:
                self._waiting.append(_Waiting(words, native, state))
                waiting.append(thread)
            else:
                acting.append(words)
        self._refuse(acting)

    def look_again(self, involved: bool) -> str:
        """After a run: refuse everything if one of the threads has moved, or may be ``involved``: the run was cut
        before an effect outside the program, or got stuck, perhaps for a lock that one of them has. Returns
        :attr:`reason`."""
        if self._waiting and not self.reason:
            self._refuse([each.words for each in self._waiting if involved or _state(each.native) != each.state])
        return self.reason

    def refuse(self) -> None:
        """Refuse everything if there are any earlier threads."""
        self._refuse([each.words for each in self._waiting])

    @property
    def waits(self) -> bool:
        """Whether there are earlier threads that wait."""
        return bool(self._waiting)

    @property
    def assumption(self) -> str:
        """The assumption about these threads, in words; "" if there are none."""
        names = sorted(each.words for each in self._waiting)
        return f"threads that were started before the check go on waiting ({'; '.join(names)})" if names else ""

    def _refuse(self, words: list[str]) -> None:
        if words:
            subject = "a thread that was" if len(words) == 1 else f"{len(words)} threads that were"
            runs = "runs" if len(words) == 1 else "run"
            claim = f"{subject} started before the check {runs} code of the program, which nothing controls"
            self.reason = f"{claim}: {'; '.join(sorted(words))}"


def _state(native: int) -> str:
    """The progress of a thread that waits for a file or socket without a limit; "" for other threads, and where that
    can't be known."""
    calls = _WAITING.get(platform.machine())
    if calls is None or sys.platform != "linux":
        return ""
    try:
        with open(f"/proc/self/task/{native}/syscall") as file:
            call = file.read()
        with open(f"/proc/self/task/{native}/schedstat") as file:
            spent = file.read()
    except OSError:
        return ""
    fields = call.split()
    number = int(fields[0]) if fields[0].isdecimal() else -1  # "running"
    if number not in calls:
        return ""
    limit = calls[number]
    if limit is not None:
        argument, none = limit
        if int(fields[argument], 16) & (none or -1) != none:
            return ""
    return f"{call} {spent}"


def _in_the_program(frame: FrameType | None) -> str | None:
    """The place in the program of a stack's innermost frame there; None if no frame is in the program."""
    while frame is not None:
        code = frame.f_code
        if code.co_filename in sites.instrumented:
            return f"{code.co_qualname}() at {os.path.basename(code.co_filename)}:{frame.f_lineno}"
        frame = frame.f_back
    return None
