"""`--live`: hands the messages of a check to the process that serves its page.

That process is started by the one that supervises the check, before the program is loaded: it is no child of the
program's process, and neither its threads nor the modules that it imports are in that one. A message that it has not
read yet is kept here, so a server that hangs holds up nothing.

Cost: a process that mostly sleeps, and the pickling of at most ten messages a second, and of each finding.
"""

from __future__ import annotations

import contextlib
import os
import pickle
import select
import signal
from dataclasses import field
from time import monotonic
from typing import Any, Final, Self

from mazurka.errors import UsageError
from mazurka.lazy_dataclass import dataclass

#: Seconds that the server has to read the last messages.
_READING: Final = 2.0

#: Seconds after the end in which the page can still be opened. Not on a port that the next check may want.
_UNOPENED: Final = 10.0

#: Descriptors from this number on: the program gets the first ones, as it would without a server.
_HIGH: Final = 200

#: Seconds between two samples.
_APART: Final = 0.1


@dataclass(slots=True)
class LiveSender:
    """The connection to the server; a context manager. ``port`` 0 is any port. Without ``wanted`` it does nothing."""

    wanted: bool
    port: int = 0
    address: str = ""
    _descriptor: int = -1
    _unsent: bytearray = field(default_factory=bytearray)
    _next: float = 0.0

    def __enter__(self) -> Self:
        if not self.wanted:
            return self
        if not hasattr(os, "fork"):
            raise UsageError("live-page", "this platform has no processes that could serve it", where="--live")
        self._descriptor, answer = _start(self.port)
        if not answer.startswith("http"):
            self.leave()
            problem = f"can't listen on this port: {answer}" if answer else "its server did not start"
            hint = "--live without a number takes any port" if self.port else ""
            raise UsageError("live-page", problem, where=f"--live={self.port}", hint=hint)
        self.address = answer
        os.set_blocking(self._descriptor, False)
        return self

    def __exit__(self, *exception: object) -> None:
        end = monotonic() + _READING
        while self._unsent and (left := end - monotonic()) > 0 and self._descriptor >= 0:
            select.select([], [self._descriptor], [], left)
            self.flush()
        self.leave()

    def leave(self) -> None:
        """Close this end, and forget the address: also to be called in each child that runs the program."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
        self._descriptor, self.address = -1, ""
        self._unsent.clear()

    def send(self, message: tuple[Any, ...]) -> None:
        """Send a message; samples of the search only now and then."""
        if self._descriptor < 0:
            return
        if message[0] == "sample":
            now = monotonic()
            if now < self._next:
                return
            self._next = now + _APART
        self._unsent += pickle.dumps(message, protocol=5)
        self.flush()

    def flush(self) -> None:
        """Send as much as the server takes at the moment."""
        try:
            while self._unsent and self._descriptor >= 0:
                del self._unsent[: os.write(self._descriptor, self._unsent[: 1 << 16])]
        except BlockingIOError:
            return
        except OSError:  # the server has ended
            self.leave()


def _start(port: int) -> tuple[int, str]:
    """Start the server; the descriptor for its messages, and its address, or the reason why it has none."""
    reading, writing = os.pipe()
    hearing, saying = os.pipe()
    first = os.fork()
    if first == 0:
        try:
            os.close(writing)
            os.close(hearing)
            if os.fork() == 0:  # a grandchild, which no one has to wait for
                _serve(port, reading, saying)
        finally:
            os._exit(0)
    os.waitpid(first, 0)
    os.close(reading)
    os.close(saying)
    descriptor = _moved(writing)
    with open(hearing, "rb") as answers:  # the codec of text files would be one more module
        return descriptor, answers.read().decode(errors="replace")


def _moved(descriptor: int) -> int:
    """The descriptor under a high number, or as it is where the process may not have such a number."""
    import fcntl

    try:
        moved: int = fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, _HIGH)
    except OSError:
        return descriptor
    os.close(descriptor)
    return moved


def _serve(port: int, reading: int, saying: int) -> None:
    """In the process of the server: Ctrl-C is not for it, and it prints nothing."""
    os.setsid()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    nothing = os.open(os.devnull, os.O_RDWR)
    for standard in range(3):
        os.dup2(nothing, standard)
    from mazurka.cli.live.server import listening, new_token

    with open(saying, "w", encoding="utf-8", errors="replace") as answers:
        try:
            socket = listening(port)
        except (OSError, OverflowError) as error:
            answers.write((isinstance(error, OSError) and error.strerror) or "there is no such port")
            return
        token = new_token()
        answers.write(f"http://{socket.getsockname()[0]}:{socket.getsockname()[1]}/{token}/")
    from mazurka.cli.live.feed import serve

    with contextlib.suppress(EOFError, OSError), open(reading, "rb") as messages:
        serve(socket, token, messages, 0.0 if port else _UNOPENED)
