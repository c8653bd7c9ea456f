"""The files that a child process acts on: Linux reports each of its system calls that names one, before it is made.

A child gets a filter for system calls (``seccomp``) before it executes its program. The filter lets harmless ones pass
(:mod:`.system_calls`); at any other one the child waits until a thread of ours has looked at it and lets it go on. So
do all processes that the child starts. Their changes are noted in the journal first, as for threads; a change that
can't be noted is refused.

Our thread is a real one. It uses functions in C and code of our own only: modules that the program loads may be
instrumented, and would then report steps from the wrong thread.

Cost: some 30 microseconds for each call that is looked at; a child is made by ``fork``, since only this way lets it run
code before its program.
"""

from __future__ import annotations

import _thread
import ctypes
import fcntl
import os
import posix
import select
import signal
import struct
import sys
from typing import Any, Final

from mazurka.program.python.instrument.own import contextlib
from mazurka.program.python.outside.child_calls import Acts
from mazurka.program.python.outside.journal import NotKept, out_of_the_way
from mazurka.program.python.outside.system_calls import ARCHITECTURE, HARMLESS, NUMBERS

# Real functions, before they are replaced.
_start_thread: Final = _thread.start_new_thread
_allocate: Final = _thread.allocate_lock
_poll: Final = select.poll
_ioctl: Final = fcntl.ioctl
_kill: Final = posix.kill
_pidfd_open: Final[Any] = getattr(posix, "pidfd_open", None)

_NO_NEW_PRIVILEGES: Final = 38
_FILTER_MODE: Final = 1
_NEW_LISTENER: Final = 8
_PIDFD_GETFD: Final = 438
_RECEIVE: Final = 0xC0502100
_SEND: Final = 0xC0182101
_IS_VALID: Final = 0x40082102
_GO_ON: Final = 1
_CALL: Final = struct.Struct("=QIIiIQ6Q")  # id, pid, flags; number, architecture, instruction, arguments
_ANSWER: Final = struct.Struct("=QqiI")  # id, value, error, flags


class _Instruction(ctypes.Structure):
    _fields_ = (("code", ctypes.c_ushort), ("yes", ctypes.c_ubyte), ("no", ctypes.c_ubyte), ("value", ctypes.c_uint))


class _Filter(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("instructions", ctypes.POINTER(_Instruction)))


_LOAD, _EQUAL, _RETURN = 0x20, 0x15, 0x06
_ALLOW, _NOTIFY = 0x7FFF0000, 0x7FC00000


def _filter() -> _Filter:
    """Calls that are harmless pass, all others wait to be looked at."""
    rows = [(_LOAD, 0, 0, 4), (_EQUAL, 1, 0, ARCHITECTURE), (_RETURN, 0, 0, _NOTIFY), (_LOAD, 0, 0, 0)]
    for number in sorted(HARMLESS):
        rows += [(_EQUAL, 0, 1, number), (_RETURN, 0, 0, _ALLOW)]
    rows.append((_RETURN, 0, 0, _NOTIFY))
    return _Filter(len(rows), (_Instruction * len(rows))(*[_Instruction(*row) for row in rows]))


_FILTER: Final = _filter()
_libc: Final[Any] = ctypes.CDLL(None) if sys.platform == "linux" else None


def _is_available() -> bool:
    if not HARMLESS or _pidfd_open is None:
        return False
    try:
        handle = posix.open("/proc/sys/kernel/seccomp/actions_avail", os.O_RDONLY)
    except OSError:
        return False
    try:
        return b"user_notif" in posix.read(handle, 1000)
    finally:
        posix.close(handle)


#: Whether the system can report the calls of children.
AVAILABLE: Final = _is_available()


class ChildWatch:
    """Watches a child and all that it starts, from before it executes its program until the last of them has ended."""

    def __init__(self) -> None:
        self.acts = Acts()
        self._ended = _allocate()
        self._ended.acquire()
        self._hello, self._to_parent = map(out_of_the_way, posix.pipe())
        self._from_parent, self._go = map(out_of_the_way, posix.pipe())
        self._listener = -1
        self._processes: set[int] = set()  # the child, and processes that it started which have made a call

    # -- in the child ----------------------------------------------------------------------------

    def confine(self) -> None:
        """Have the system report the calls of this process, the child, and go on when they are being looked at."""
        try:
            _libc.prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0)
            listener = _libc.syscall(NUMBERS["seccomp"], _FILTER_MODE, _NEW_LISTENER, ctypes.byref(_FILTER))
        except BaseException:  # an exception would appear in the program
            listener = -1
        posix.write(self._to_parent, struct.pack("=ii", posix.getpid(), listener))
        posix.read(self._from_parent, 1)

    # -- in our process --------------------------------------------------------------------------

    def begin(self) -> None:
        """Before the child is made."""
        _start_thread(self._watch, ())

    def started(self) -> None:
        """The child has been made and executes its program, or could not be made."""
        posix.close(self._to_parent)
        posix.close(self._from_parent)

    def wait(self, seconds: float) -> bool:
        """Wait until the child and all that it has started have ended."""
        if not self._ended.acquire(timeout=seconds):
            return False
        self._ended.release()
        return True

    def end_all(self) -> None:
        """Kill the processes that still exist."""
        for process in list(self._processes):
            try:
                handle = posix.open(f"/proc/{process}/status", os.O_RDONLY | os.O_CLOEXEC)
            except OSError:
                continue
            is_watched = b"\nSeccomp:\t2" in posix.read(handle, 4096)  # not a later process that got the number
            posix.close(handle)
            if is_watched:
                with contextlib.suppress(OSError):
                    _kill(process, signal.SIGKILL)

    def _watch(self) -> None:
        try:
            hello = posix.read(self._hello, 8)
            if len(hello) == 8 and self._listen(*struct.unpack("=ii", hello)):
                posix.write(self._go, b".")
                self._serve()
        except BaseException as error:  # no exception may end the thread unseen
            self.acts.troubles.add(f"a child process whose system calls could not be looked at ({error!r})")
        finally:
            for handle in (self._hello, self._go, self._listener):
                if handle >= 0:
                    posix.close(handle)
            self._ended.release()

    def _listen(self, child: int, listener: int) -> bool:
        self.acts.root = child
        if listener >= 0:
            handle = _pidfd_open(child)
            self._listener = _libc.syscall(_PIDFD_GETFD, handle, listener, 0)
            posix.close(handle)
            if self._listener >= 0:
                self._listener = out_of_the_way(self._listener)
        if self._listener < 0:
            self.acts.troubles.add("a child process whose system calls can't be looked at")
        return self._listener >= 0

    def _serve(self) -> None:
        poll = _poll()
        poll.register(self._listener, select.POLLIN)
        while True:
            for _, event in poll.poll():
                if event & select.POLLIN:
                    self._answer()
                elif event:
                    return

    def _waits(self, key: int) -> bool:
        """Whether the process still waits for the answer to this call; a signal may have ended it."""
        try:
            _ioctl(self._listener, _IS_VALID, struct.pack("=Q", key))
        except OSError:
            return False
        return True

    def _answer(self) -> None:
        """Look at one call, and let it be made."""
        call = bytearray(_CALL.size)
        try:
            _ioctl(self._listener, _RECEIVE, call, True)
        except OSError:
            return  # the process has ended meanwhile
        key, process, _, number, architecture, _, *arguments = _CALL.unpack(call)
        self._processes.add(process)
        error = 0
        try:
            self.acts.look(process, number if architecture == ARCHITECTURE else -1, arguments)
        except NotKept as reason:
            self.acts.troubles.add(f"a child process whose change of a file could not be put back: {reason}")
            error = -1  # EPERM: the change must not be made
        except OSError as reason:
            if not self._waits(key):
                return  # killed meanwhile: its memory is gone, and the call is never made
            self.acts.troubles.add(f"a child process whose system calls could not be looked at ({reason})")
        answer = bytearray(_ANSWER.pack(key, 0, error, 0 if error else _GO_ON))
        try:
            _ioctl(self._listener, _SEND, answer, True)
        except OSError:
            return
