"""File objects over pipes and sockets: what ``open`` and ``socket.makefile`` make of them.

The raw file calls functions that wait in the runtime (:mod:`.channels`). A buffer is one of `io`'s, in C, which has a
lock that it holds while it waits for the raw file: other threads that use the buffer wait for that lock. It is a lock
of the model here, for in C it is one of the whole process, and nobody else could move.
"""

from __future__ import annotations

import functools
import io
import os
import socket
from collections.abc import Callable
from typing import Any, Final

from mazurka.program.python.outside import channels
from mazurka.program.python.outside.replacing import present, replace_method
from mazurka.program.python.primitives.locks import Lock, allocate_lock
from mazurka.program.python.primitives.run import Models
from mazurka.program.python.primitives.steps import change, pass_step
from mazurka.program.python.semantics.objects import number


class _PipeIO(io.FileIO):
    """The raw file over an end of a pipe, whose functions of `os` do the waiting."""

    def readinto(self, buffer: Any, /) -> int:
        data = os.read(self.fileno(), len(buffer))
        buffer[: len(data)] = data
        return len(data)

    def readall(self) -> bytes:
        parts = []
        while part := os.read(self.fileno(), io.DEFAULT_BUFFER_SIZE):
            parts.append(part)
        return b"".join(parts)

    def read(self, size: int | None = -1, /) -> bytes:
        return self.readall() if size is None or size < 0 else os.read(self.fileno(), size)

    def write(self, data: Any, /) -> int:
        return os.write(self.fileno(), data)

    def close(self) -> None:
        if not self.closed and self.closefd:
            models = present()
            if models is not None:
                channels.closing(models, self.fileno())
        super().close()


# -- buffers ----------------------------------------------------------------------------


def _method(base: Any, real: Callable[..., Any]) -> Any:
    @functools.wraps(real)
    def call(self: Any, *args: Any, **named: Any) -> Any:
        lock: Lock | None = self._mz_lock
        models = present()
        if lock is None or models is None or models.runtime.solo or lock.holder() is models.runtime.current:
            return real(self, *args, **named)
        with lock:  # what is in the buffer decides whether the raw file is read
            pass_step(models, change(("o", number(self)), f"the state of a {base.__name__}"))
            return real(self, *args, **named)

    return call


#: What holds the lock of a buffer.
_LOCKING: Final = (
    *("read", "read1", "readinto", "readinto1", "readline", "peek", "__next__", "write"),
    *("seek", "tell", "truncate", "flush", "close", "detach"),
)


def _made_of(base: Any) -> Any:
    body = {name: _method(base, getattr(base, name)) for name in _LOCKING if hasattr(base, name)}
    return type(base.__name__, (base,), {"__doc__": base.__doc__, "__module__": "_io", "_mz_lock": None, **body})


_Reader: Final[Any] = _made_of(io.BufferedReader)
_Writer: Final[Any] = _made_of(io.BufferedWriter)


def open_pipe(file: int, mode: str, buffering: int, encoding: Any, errors: Any, newline: Any, closefd: bool) -> Any:
    """What ``open`` makes of a descriptor that is an end of a pipe."""
    raw = _PipeIO(file, mode.replace("b", "").replace("t", ""), closefd)
    return raw if buffering == 0 else _layered(raw, mode, buffering, encoding, errors, newline)


def _layered(raw: Any, mode: str, buffering: int, encoding: Any, errors: Any, newline: Any) -> Any:
    size = io.DEFAULT_BUFFER_SIZE if buffering in (-1, 1) else buffering
    made = (_Reader if "r" in mode else _Writer)(raw, size)
    made._mz_lock = allocate_lock()
    if "b" in mode:
        return made
    text: Any = io.TextIOWrapper(made, encoding, errors, newline, buffering == 1)
    text.mode = mode
    return text


def _make_file(
    models: Models,
    real: Any,
    self: Any,
    mode: str = "r",
    buffering: int | None = None,
    *,
    encoding: Any = None,
    errors: Any = None,
    newline: Any = None,
) -> Any:
    """Stands for ``socket.makefile``."""
    size = -1 if buffering is None or buffering < 0 else buffering
    direction = set(mode) - {"b"}
    if size == 0 or len(direction) > 1 or not direction <= {"r", "w"}:
        return real(self, mode, buffering, encoding=encoding, errors=errors, newline=newline)
    kind = "w" if direction == {"w"} else "r"
    raw = socket.SocketIO(self, kind)  # type: ignore[arg-type]  # a mode
    self._io_refs += 1
    binary = "b" if "b" in mode else ""
    size = io.DEFAULT_BUFFER_SIZE if size == 1 else size  # here that is no line
    made = _layered(raw, kind + binary, size, encoding, errors, newline)
    if not binary:
        made.mode = mode
    return made


replace_method("socket", "socket.makefile", _make_file)
