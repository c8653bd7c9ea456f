"""Buffers of `io` over raw files whose functions let other threads move: pipes, sockets, those of the program itself.

A buffer is in C and has a lock, which it holds while it calls the raw file: other threads that use the buffer wait for
the lock. That lock distinguishes real threads only, and all threads of a run are one real thread. So here each buffer
has a lock of the model around its methods.

``readline`` and ``read1`` look for bytes in the buffer first, then wait for the lock, and then drop all bytes of the
buffer (CPython, ``_buffered_readline``): those that another thread has read ahead meanwhile are lost. Here they wait
first. While the raw file is called the buffer is empty, so a thread that has to wait has found nothing; if the buffer
is empty afterwards, too, both ways are the same, otherwise the call is untracked.

Buffers of plain files, whose raw files never wait, are in :mod:`.streams`.
"""

from __future__ import annotations

import functools
import io
import os
from collections.abc import Callable
from typing import Any, Final

from mazurka.program.python.outside import channels
from mazurka.program.python.outside.read_ahead import read_ahead
from mazurka.program.python.outside.replacing import FUNCTIONS, present
from mazurka.program.python.primitives.locks import Lock, allocate_lock
from mazurka.program.python.primitives.run import count_untracked
from mazurka.program.python.primitives.steps import change, pass_step
from mazurka.program.python.semantics.native_objects import is_in_python
from mazurka.program.python.semantics.objects import number
from mazurka.trace.targets import OBJECT

_RealFileIO: Final[Any] = io.FileIO


class _PipeIO(_RealFileIO):  # type: ignore[misc]  # a class known at run time only
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
    name = real.__name__

    @functools.wraps(real)
    def call(self: Any, *args: Any, **named: Any) -> Any:
        lock: Lock | None = self._mz_lock
        models = present()
        if lock is None or models is None or models.runtime.solo or lock.holder() is models.runtime.current:
            return real(self, *args, **named)
        uses = self._mz_uses
        with lock:  # the content of the buffer decides whether the raw file is read
            pass_step(models, change((OBJECT, number(self)), f"the state of a {base.__name__}"))
            if self._mz_uses != uses and name in _LOSING and read_ahead(self) != 0:
                count_untracked(models.runtime, f"{name}() of a {base.__name__} that another thread used meanwhile")
            self._mz_uses += 1
            return real(self, *args, **named)

    return call


#: Methods that, once they have waited for the lock, drop the data that another thread has left in the buffer.
_LOSING: Final = ("read1", "readline", "__next__")


#: The methods that hold the lock of a buffer.
_LOCKING: Final = (
    *("read", "read1", "readinto", "readinto1", "readline", "peek", "__next__", "write"),
    *("seek", "tell", "truncate", "flush", "close", "detach"),
)


class _Kind(type(io.BufferedReader)):  # type: ignore[misc]  # a type
    """Counts buffers that were made outside of runs, or for plain files, as instances, too."""

    _mz_base: Any

    def __instancecheck__(cls, instance: object) -> bool:
        return isinstance(instance, cls._mz_base) if "_mz_base" in vars(cls) else type.__instancecheck__(cls, instance)

    def __subclasscheck__(cls, other: type) -> bool:
        return issubclass(other, cls._mz_base) if "_mz_base" in vars(cls) else type.__subclasscheck__(cls, other)

    def __call__(cls, *args: Any, **named: Any) -> Any:
        in_python = present() is not None and any(is_in_python(type(each)) for each in (*args, *named.values()))
        if not in_python and "_mz_base" in vars(cls):
            return cls._mz_base(*args, **named)  # over a raw file in C, like ``BytesIO``: an object in C like any other
        made = super().__call__(*args, **named)
        if in_python:
            made._mz_lock = allocate_lock()
        return made


def _made_of(base: Any) -> Any:
    body: dict[str, Any] = {name: _method(base, getattr(base, name)) for name in _LOCKING if hasattr(base, name)}
    body |= {"__doc__": base.__doc__, "__module__": "_io", "_mz_base": base, "_mz_lock": None, "_mz_uses": 0}
    return _Kind(base.__name__, (base,), body)


_BufferedReader: Final[Any] = _made_of(io.BufferedReader)
_BufferedWriter: Final[Any] = _made_of(io.BufferedWriter)

FUNCTIONS["io", "BufferedReader"] = _BufferedReader
FUNCTIONS["io", "BufferedWriter"] = _BufferedWriter
FUNCTIONS["io", "BufferedRandom"] = _made_of(io.BufferedRandom)
FUNCTIONS["io", "BufferedRWPair"] = _made_of(io.BufferedRWPair)


def open_pipe(file: int, mode: str, buffering: int, encoding: Any, errors: Any, newline: Any, closefd: bool) -> Any:
    """The file object that ``open`` makes of a descriptor that is an end of a pipe."""
    raw = _PipeIO(file, mode.replace("b", "").replace("t", ""), closefd)
    if buffering == 0:
        return raw
    size = io.DEFAULT_BUFFER_SIZE if buffering in (-1, 1) else buffering
    made = (_BufferedReader if "r" in mode else _BufferedWriter)(raw, size)
    if "b" in mode:
        return made
    text: Any = io.TextIOWrapper(made, encoding, errors, newline, buffering == 1)
    text.mode = mode
    return text
