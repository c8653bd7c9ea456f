"""A check in a child process, supervised by this one, so that the program can't hold up the command.

A time limit has to hold even inside a long call of C code that handles no signals and does not release the interpreter.
So a child makes the check (with all its own children, in one process group) and reports its progress over a pipe; the
parent shows the progress, waits, and at the time limit kills the group and uses the messages received, as it does if
the child dies.

- Before the child is killed, it is asked for its place in the program by a signal that `faulthandler` handles without
  the interpreter.
- Ctrl-C is passed on, once; the second one ends both.
- If the parent is killed, the system kills the group: the child's end of a pipe sends SIGKILL when the parent's end is
  closed (Linux; elsewhere the child tests whether its parent still exists).

Cost: a fork, some milliseconds, and a message for every batch of the search.
"""

from __future__ import annotations

import contextlib
import faulthandler
import fcntl
import os
import pickle
import re
import select
import signal
import struct
import sys
from collections.abc import Callable, Iterator
from dataclasses import field
from pathlib import Path
from time import perf_counter
from types import FrameType
from typing import Any, Final

from mazurka.lazy_dataclass import dataclass
from mazurka.replay.anchor import is_library, portable_path

#: Whether checks can be supervised on this platform.
AVAILABLE: Final = hasattr(os, "fork")

#: The signal that asks a process for its place; programs do not use it.
_WHERE: Final = getattr(signal, "SIGRTMAX", None)

#: Seconds between two tests whether the child still exists; and the time to wait for its place.
_TICK: Final = 0.2
_ANSWERING: Final = 1.5

#: Seconds without output after which an answer is complete.
_SILENCE: Final = 0.1

#: Seconds between two tests whether it has ended, once its pipe is closed.
_ENDING: Final = 0.005

#: Seconds that a killed group may take to be gone.
_DYING: Final = 0.2

_FRAME: Final = re.compile(r'File "([^"]*)", line (\d+) in (\S+)\n')
_STATUS: Final = re.compile(r"^(\w+):\s*(.*)$", re.MULTILINE)
_CALLING: Final = os.path.join("mazurka", "cli", "")
_OURS: Final = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep

# Functions that are replaced while a program runs.
_getpid: Final = os.getpid
_getppid: Final = os.getppid

_LENGTH: Final = struct.Struct("!I")


class Wire:
    """The child's end of the pipe: sends messages, which are any objects that can be pickled."""

    def __init__(self, descriptor: int, parent: int) -> None:
        self._descriptor = descriptor
        self._parent = parent
        self._process = _getpid()

    def send(self, message: object) -> None:
        """Send a message to the parent; a child of the child sends none."""
        if _getpid() != self._process:
            return
        if _getppid() != self._parent:  # the parent has ended
            os.killpg(0, signal.SIGKILL)
        payload = pickle.dumps(message, protocol=5)
        data = memoryview(_LENGTH.pack(len(payload)) + payload)
        while data:
            data = data[os.write(self._descriptor, data) :]


@dataclass(slots=True)
class Child:
    """A running child. ``messages`` yields its messages until it ends or is killed."""

    pid: int
    _messages: int
    _lifeline: int
    _places: int  # the descriptor from which the output of `faulthandler` is read
    expired: bool = False  # whether it was killed at its deadline
    place: str = ""  # its place in the program then, as far as that is known
    interrupted: bool = False
    status: int | None = None  # its exit status, as from `os.waitstatus_to_exitcode`
    _data: bytearray = field(default_factory=bytearray)

    def messages(self, deadline: Callable[[], float | None], tick: Callable[[], None]) -> Iterator[Any]:
        """The child's messages, until it ends; it is killed at the ``deadline`` (a moment of `perf_counter`), which may
        change. ``tick`` is called now and then meanwhile."""
        before = signal.signal(signal.SIGINT, self._pass_on)
        tells = True  # whether its end is open; it closes when the child ends, but a program might close it before
        try:
            while True:
                now, end = perf_counter(), deadline()
                if end is not None and now >= end:
                    self._expire()
                    break
                patience = _TICK if end is None else max(0.0, min(_TICK, end - now))
                listens = [self._messages] if tells else []
                readable = select.select(listens, [], [], patience if tells else min(patience, _ENDING))[0]
                if readable:
                    tells = self._read()
                if not (readable and tells) and not self._is_there():
                    break
                yield from self._whole()
                tick()
            while self._read():  # its last messages
                pass
            yield from self._whole()
        finally:
            signal.signal(signal.SIGINT, before)
            self._end()

    def _read(self) -> bool:
        """Read the available bytes; false at the end, or if there are none at the moment."""
        try:
            data = os.read(self._messages, 1 << 20)
        except BlockingIOError:
            return False
        self._data += data
        return bool(data)

    def _whole(self) -> Iterator[Any]:
        while len(self._data) >= _LENGTH.size:
            (length,) = _LENGTH.unpack_from(self._data)
            end = _LENGTH.size + length
            if len(self._data) < end:
                return
            payload = bytes(self._data[_LENGTH.size : end])
            del self._data[:end]
            yield pickle.loads(payload)  # written by our own child

    def _is_there(self) -> bool:
        if self.status is None:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                self.status = os.waitstatus_to_exitcode(status)
        return self.status is None

    def _expire(self) -> None:
        self.expired = True
        if _WHERE is not None and self._is_there():
            end = perf_counter() + _ANSWERING
            for pid in _answering(self.pid, _WHERE):
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, _WHERE)
                self.place = _place(self._said(end))
                if self.place:
                    break
        self._kill()

    def _said(self, end: float) -> str:
        """The answer of one process, which is complete after some silence, at ``end`` at the latest."""
        said = ""
        while (patience := end - perf_counter()) > 0:
            if not select.select([self._places], [], [], min(patience, _SILENCE) if said else patience)[0]:
                break
            data = os.read(self._places, 1 << 16)
            if not data:  # all processes have just ended by themselves
                break
            said += data.decode(errors="replace")
        return said

    def _kill(self) -> None:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self.pid, signal.SIGKILL)

    def _outlast(self) -> None:
        """Wait until the rest of the group has ended, too, which holds its locks until then."""
        end = perf_counter() + _DYING
        with contextlib.suppress(ProcessLookupError, PermissionError):
            while perf_counter() < end:
                os.killpg(self.pid, 0)
                select.select([], [], [], _DYING / 50)

    def _pass_on(self, number: int, _frame: FrameType | None) -> None:
        """Handle Ctrl-C: the first is passed on to the child, the second ends both."""
        if self.interrupted:
            self._kill()
            signal.signal(number, signal.SIG_DFL)
            signal.raise_signal(number)
        self.interrupted = True
        with contextlib.suppress(ProcessLookupError):
            os.kill(self.pid, number)

    def _end(self) -> None:
        """End the child and its children; processes that it left running at its regular end are kept."""
        if self.status is None:
            self.status = os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])
        if self.status < 0:
            self._kill()
            self._outlast()
        os.close(self._messages)
        os.close(self._lifeline)
        os.close(self._places)


def _answering(group: int, number: int) -> list[int]:
    """The processes of the group that catch the signal, the youngest first, as the older ones wait for it. Each is
    asked by itself: answers of several at once get mixed up. Where the system lists no processes: the whole group."""
    found = []
    try:
        processes = [int(name) for name in os.listdir("/proc") if name.isdigit()]
    except FileNotFoundError:
        return [-group]
    for pid in sorted(processes, reverse=True):
        with contextlib.suppress(OSError, KeyError):
            status = dict(_STATUS.findall(Path(f"/proc/{pid}/status").read_text(errors="replace")))
            if int(status["NSpgid"].split()[-1]) == group and int(status["SigCgt"], 16) >> (number - 1) & 1:
                found.append(pid)
    return found or [-group]


def _place(said: str) -> str:
    """The place of a process in the program, in words, from the output of `faulthandler`: a stack, innermost frame
    first, in which frames of Mazurka that called the program do not count."""
    frames = []
    for stack in said.split("most recent call first")[1:]:
        inner = stack.partition(_CALLING)[0]
        frames += [found.groups() for found in _FRAME.finditer(inner) if not found[1].startswith((_OURS, "<"))]
    own = [frame for frame in frames if not is_library(frame[0])] or frames
    return f"{portable_path(own[0][0])}:{own[0][1]} in {own[0][2]}" if own else ""


def start(work: Callable[[Wire], int]) -> Child:
    """Do ``work`` in a child, which ends with the status that it returns."""
    reading, writing = os.pipe()
    living, lifeline = os.pipe()
    places, saying = os.pipe()
    sys.stdout.flush()
    sys.stderr.flush()
    parent, pid = os.getpid(), os.fork()
    if pid == 0:
        status = 2
        try:
            os.close(reading)
            os.close(lifeline)
            os.close(places)
            _prepare(living, saying)
            status = work(Wire(writing, parent))
        except KeyboardInterrupt:
            status = 130
        finally:
            with contextlib.suppress(OSError, ValueError):
                sys.stdout.flush()
                sys.stderr.flush()
                _spare(living)
            os._exit(status)
    with contextlib.suppress(OSError):  # the first of the two has set it
        os.setpgid(pid, pid)
    os.close(writing)
    os.close(living)
    os.close(saying)
    os.set_blocking(reading, False)
    return Child(pid, reading, lifeline, places)


def _prepare(living: int, saying: int) -> None:
    """In the child: make a group of its own, which ends with the parent, and reads nothing from the terminal."""
    with contextlib.suppress(OSError):
        os.setpgid(0, 0)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    if hasattr(fcntl, "F_SETSIG"):
        fcntl.fcntl(living, fcntl.F_SETOWN, -os.getpgrp())
        fcntl.fcntl(living, fcntl.F_SETSIG, signal.SIGKILL)
        fcntl.fcntl(living, fcntl.F_SETFL, os.O_ASYNC)
    if _WHERE is not None:
        faulthandler.register(_WHERE, file=saying, all_threads=False)


def _spare(living: int) -> None:
    """Release processes that the program has started, and left running."""
    fcntl.fcntl(living, fcntl.F_SETFL, 0)
