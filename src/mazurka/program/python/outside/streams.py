"""File objects: `open`, and what it returns.

What a run opens is an object of `io`'s own classes, or rather of subclasses with the same names, whose methods pass
the steps. Each object and its layers (text, buffer, raw file) have one state, ``("open file", n)``: every call changes
it. The file itself is read and written when the raw file is: what is written into a buffer reaches the file when the
buffer is flushed, in a step of its own. Buffers are in C and keep others out while they work, so that no thread may
stop inside of one: what they hand to the raw file is put by and goes to the file afterwards.

What becomes of such objects after their run, unflushed data included, has no effect on files.
"""

from __future__ import annotations

import io
import os
import posix
import stat
from collections.abc import Callable
from typing import Any, Final

from greenlet import GreenletExit

from mazurka.program.python.outside import channels
from mazurka.program.python.outside import files as _files
from mazurka.program.python.outside.files import JOURNAL, Files, Opened, before_write
from mazurka.program.python.outside.journal import NotKept
from mazurka.program.python.outside.opening import open_path
from mazurka.program.python.outside.replacing import FUNCTIONS, present
from mazurka.program.python.primitives.run import Models
from mazurka.program.python.primitives.steps import change, pass_step, read

_real_open: Final = io.open
_RealFileIO: Final[Any] = io.FileIO


class _Layers:
    """The state that an object shares with its layers."""

    __slots__ = ("busy", "dirty", "dying", "file", "files", "stored")

    def __init__(self, files: Files | None, file: Opened) -> None:  # none: it was opened before all runs
        self.files = files
        self.file = file
        self.busy = False  # inside of a buffer
        self.dying = False  # nobody else can look at it any more
        self.dirty = False  # something may not have reached the raw file
        self.stored: list[bytes] = []  # what a buffer has handed to the raw file, and is still to be written


# -- the raw file ----------------------------------------------------------------------------


class Preparing:
    """While it is entered, files that are opened outside of runs are such that runs will see what is done to them."""

    on = False

    def __enter__(self) -> None:
        Preparing.on = True

    def __exit__(self, *exception: object) -> None:
        Preparing.on = False


class _RawKind(type(_RealFileIO)):  # type: ignore[misc]  # a type
    """Takes files that were opened outside of runs for its instances, too."""

    def __instancecheck__(cls, instance: object) -> bool:
        return isinstance(instance, _RealFileIO)

    def __subclasscheck__(cls, other: type) -> bool:
        return issubclass(other, _RealFileIO)

    def __call__(cls, *args: Any, **named: Any) -> Any:
        if cls is FileIO and present() is None and not Preparing.on:
            return _RealFileIO(*args, **named)
        return super().__call__(*args, **named)


_FLAGS: Final = {
    "r": os.O_RDONLY,
    "w": os.O_CREAT | os.O_TRUNC,
    "x": os.O_CREAT | os.O_EXCL,
    "a": os.O_CREAT | os.O_APPEND,
}


class FileIO(_RealFileIO, metaclass=_RawKind):  # type: ignore[misc]  # a class known at run time only
    """A raw file that a run has opened."""

    _mz: _Layers | None = None
    _mz_left = False  # its run is over

    def __init__(self, file: Any, mode: str = "r", closefd: bool = True, opener: Any = None) -> None:
        models = present()
        if models is None:
            super().__init__(file, mode, closefd, opener)
            if not isinstance(file, int):
                self._mz_opened_before(os.path.realpath(os.fsdecode(file)))
            return
        files = _files.of_run(models)
        opened: Opened | None

        def perform() -> int:
            _RealFileIO.__init__(self, file, mode, closefd, opener)
            return int(_RealFileIO.fileno(self))

        if isinstance(file, int) or opener is not None:
            opened = files.descriptors.get(perform())
        else:
            flags = _FLAGS.get(mode.replace("b", "").replace("+", "")[:1], 0)
            flags |= os.O_RDWR if "+" in mode else 0 if flags == os.O_RDONLY else os.O_WRONLY
            file = os.fspath(file)
            _, opened = open_path(models, file, flags, perform)
        if opened is not None:
            self._mz = _Layers(files, opened)
        files.streams.add(self)

    def _mz_opened_before(self, path: str) -> None:
        """Outside of runs it is what it seems."""
        status = posix.fstat(_RealFileIO.fileno(self))
        if stat.S_ISREG(status.st_mode):
            identity = status.st_dev, status.st_ino
            self._mz = _Layers(None, Opened(f"of {path}", path, identity, {path}, 0))

    def _mz_abandon(self) -> None:
        """The run is over: close the file, whatever is still to come."""
        self._mz_left = True
        try:
            if not _RealFileIO.closed.__get__(self) and self.closefd:
                if self._mz is not None and self._mz.files is not None:
                    self._mz.files.descriptors.pop(_RealFileIO.fileno(self), None)
                _RealFileIO.close(self)
        except OSError:
            return

    def write(self, data: Any, /) -> Any:
        if self._mz_left:
            return memoryview(data).nbytes
        layers = self._mz
        if layers is None or not _RealFileIO.writable(self):
            return super().write(data)
        if layers.busy:
            layers.stored.append(bytes(data))
            return memoryview(data).nbytes
        models = present()
        if models is not None:
            pass_step(models, change(*layers.file.state), *layers.file.written())
        return self._mz_put(models, data)

    def _mz_put(self, models: Models | None, data: Any) -> Any:
        """Write to the file itself."""
        layers = self._mz
        assert layers is not None
        descriptor = _RealFileIO.fileno(self)
        if models is not None and not models.runtime.aborting:
            _use(models, layers, self)
            try:
                before_write(models, layers.file, descriptor)
            except GreenletExit:
                self._mz_abandon()  # the run ends here, and what is in buffers with it
                raise
        elif JOURNAL.is_held:  # in what cleans up, at the end or after it
            try:
                JOURNAL.writing(layers.file.path, posix.fstat(descriptor))
            except (NotKept, OSError):
                return memoryview(data).nbytes
        done = _RealFileIO.write(self, data)
        if JOURNAL.is_held:
            JOURNAL.wrote(posix.fstat(descriptor))
        return done

    def close(self) -> None:
        layers = self._mz
        if layers is not None and not _RealFileIO.closed.__get__(self):
            if layers.stored:
                _put_stored(None, layers, self)
            if not layers.busy:
                _step(layers, self)
            if self.closefd and layers.files is not None:
                layers.files.closed(_RealFileIO.fileno(self))
        super().close()

    def truncate(self, size: int | None = None, /) -> int:
        layers = self._mz
        if layers is None or self._mz_left:
            return int(super().truncate(size))
        models = present()
        if models is not None:
            _use(models, layers, self)
            if not layers.busy:
                pass_step(models, change(*layers.file.state), *layers.file.written())
            before_write(models, layers.file, _RealFileIO.fileno(self))
        done = int(super().truncate(size))
        if JOURNAL.is_held:
            JOURNAL.wrote(posix.fstat(_RealFileIO.fileno(self)))
        return done


def _raw_of(thing: Any) -> Any:
    while not isinstance(thing, _RealFileIO):
        thing = thing.raw if hasattr(thing, "raw") else thing.buffer
    return thing


def _layers_of(thing: Any) -> _Layers | None:
    try:
        found: _Layers | None = thing._mz
    except (AttributeError, ValueError):  # while it is being made, or detached
        return None
    return found


# -- calls of methods ----------------------------------------------------------------------------


def _use(models: Models, layers: _Layers, thing: Any) -> None:
    """A run uses a file that was opened before: its position, which all processes share, is to be put back."""
    files = _files.of_run(models)
    if layers.files is None and layers not in files.positions:
        descriptor = _RealFileIO.fileno(_raw_of(thing))
        files.positions[layers] = descriptor, os.lseek(descriptor, 0, os.SEEK_CUR)


def _step(layers: _Layers, thing: Any, *, reads: bool = False) -> None:
    models = present()
    if models is None or layers.dying:
        return
    if layers.files is None:
        _use(models, layers, thing)
    pass_step(models, change(*layers.file.state), *(layers.file.read() if reads else ()))


def _put_stored(models: Models | None, layers: _Layers, raw: Any) -> None:
    """What a buffer has handed on goes to the file."""
    while layers.stored:
        if models is not None:
            pass_step(models, *layers.file.written())
            if not layers.stored:
                return  # somebody else has seen to it
        data = layers.stored.pop(0)
        while data:
            data = data[raw._mz_put(models, data) or 0 :]


def _inside(layers: _Layers, thing: Any, method: Callable[..., Any], *args: Any, **named: Any) -> Any:
    """Call a method of a buffer, and then let what it has handed on go to the file."""
    layers.busy = True
    try:
        return method(thing, *args, **named)
    finally:
        layers.busy = False
        if layers.stored:
            _put_stored(present(), layers, _raw_of(thing))


def _method(real: Callable[..., Any], *, reads: bool = False, writes: bool = False, settles: bool = False) -> Any:
    """A method of a buffered or text file: ``settles`` says that what is in the buffer goes to the file first."""

    def call(self: Any, *args: Any, **named: Any) -> Any:
        layers = _layers_of(self)
        if layers is None or layers.busy:
            return real(self, *args, **named)
        if settles and layers.dirty:
            layers.dirty = False
            _step(layers, self)
            _inside(layers, self, type(self)._mz_flush)
        if reads and args and (models := present()) is not None:
            channels.hold(models, args[:1], f"{real.__name__}()")
        _step(layers, self, reads=reads)
        if writes:
            layers.dirty = True
        return _inside(layers, self, real, *args, **named)

    call.__name__ = real.__name__
    call.__doc__ = real.__doc__
    return call


_READS: Final = ("read", "read1", "readinto", "readinto1", "readline", "readlines", "peek", "__next__", "seek")
_WRITES: Final = ("write", "writelines")
_SETTLES: Final = ("tell", "truncate", "flush", "close", "detach", "reconfigure")


def _closed(base: Any) -> property:
    """Whether a file is closed is part of its state."""

    def closed(self: Any) -> bool:
        layers = _layers_of(self)
        if layers is not None and not layers.busy and not layers.dying:
            models = present()
            if models is not None:
                target, words = layers.file.state
                pass_step(models, read(target, words))
        return bool(base.closed.__get__(self))

    return property(closed)


def _enter(self: Any) -> Any:
    if self.closed:
        raise ValueError("I/O operation on closed file.")
    return self


def _exit(self: Any, *exception: object) -> None:
    self.close()


def _dying(base: Any) -> Callable[[Any], None]:
    def finalise(self: Any) -> None:
        layers = _layers_of(self)
        if layers is not None:
            layers.dying = True
        base.__del__(self)

    return finalise


def _made_of(base: Any) -> Any:
    """A class of `io`, whose methods pass the steps."""
    body: dict[str, Any] = {"__doc__": base.__doc__, "__module__": "_io", "_mz": None, "closed": _closed(base)}
    for name in (*_READS, *_WRITES, *_SETTLES):
        if hasattr(base, name):
            real = getattr(base, name)
            body[name] = _method(real, reads=name in _READS, writes=name in _WRITES, settles=name not in _WRITES)
    body["_mz_flush"] = base.flush
    body["__enter__"], body["__exit__"], body["__del__"] = _enter, _exit, _dying(base)
    return type(base.__name__, (base,), body)


BufferedReader: Final[Any] = _made_of(io.BufferedReader)
BufferedWriter: Final[Any] = _made_of(io.BufferedWriter)
BufferedRandom: Final[Any] = _made_of(io.BufferedRandom)
TextIOWrapper: Final[Any] = _made_of(io.TextIOWrapper)

FileIO.__module__ = "_io"
FileIO.__qualname__ = "FileIO"
for _name in ("readall", "readinto", "read", "seek", "tell"):
    setattr(FileIO, _name, _method(getattr(_RealFileIO, _name), reads=_name != "tell"))
FileIO.closed = _closed(_RealFileIO)
FileIO.__del__ = _dying(_RealFileIO)


# -- opening ----------------------------------------------------------------------------


def open_(
    file: Any,
    mode: str = "r",
    buffering: int = -1,
    encoding: str | None = None,
    errors: str | None = None,
    newline: str | None = None,
    closefd: bool = True,
    opener: Any = None,
) -> Any:
    """``open`` of a run."""
    models = present()
    if models is not None and isinstance(file, int) and file in channels.of_run(models).by_descriptor:
        return _open_pipe(file, mode, buffering, encoding, errors, newline, closefd)
    if models is None and not (Preparing.on and _is_plain(file, mode)):
        return _real_open(file, mode, buffering, encoding, errors, newline, closefd, opener)
    if models is not None and not _is_for_us(models, file, mode, opener):
        return _real_open(file, mode, buffering, encoding, errors, newline, closefd, opener)
    binary = "b" in mode
    if binary or _is_wrong(mode, buffering):
        if _is_wrong(mode, buffering) or encoding is not None or errors is not None or newline is not None:
            # which raises what there is to say, before it opens anything
            return _real_open(file, mode, buffering, encoding, errors, newline, closefd, opener)
    raw = FileIO(file, mode.replace("b", "").replace("t", ""), closefd, opener)
    if raw._mz is None:
        return _layered(raw, mode, buffering, encoding, errors, newline)
    raw._mz.busy = True  # nobody else has it yet
    try:
        return _layered(raw, mode, buffering, encoding, errors, newline)
    finally:
        raw._mz.busy = False


def _layered(raw: Any, mode: str, buffering: int, encoding: Any, errors: Any, newline: Any) -> Any:
    """What ``open`` puts around a raw file."""
    result: Any = raw
    binary = "b" in mode
    try:
        lines = buffering == 1 and not binary
        if buffering in (1, -1):
            buffering = max(getattr(posix.fstat(raw.fileno()), "st_blksize", 0), io.DEFAULT_BUFFER_SIZE)
        if buffering == 0:
            return raw
        kind = BufferedRandom if "+" in mode else BufferedReader if "r" in mode else BufferedWriter
        result = buffer = kind(raw, buffering)
        buffer._mz = raw._mz
        if binary:
            return buffer
        result = text = TextIOWrapper(buffer, encoding, errors, newline, lines)
        text._mz = raw._mz
        text.mode = mode
        return text
    except BaseException:
        result.close()
        raise


class _PipeIO(_RealFileIO):  # type: ignore[misc]  # a class known at run time only
    """The raw file over an end of a pipe or socket, whose functions of `os` do the waiting."""

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


def _open_pipe(file: int, mode: str, buffering: int, encoding: Any, errors: Any, newline: Any, closefd: bool) -> Any:
    """What ``open`` makes of a descriptor that is an end of a pipe."""
    raw = _PipeIO(file, mode.replace("b", "").replace("t", ""), closefd)
    if buffering == 0:
        return raw
    size = io.DEFAULT_BUFFER_SIZE if buffering in (-1, 1) else buffering
    made: Any = io.BufferedReader(raw, size) if "r" in mode else io.BufferedWriter(raw, size)
    if "b" in mode:
        return made
    text: Any = io.TextIOWrapper(made, encoding, errors, newline, buffering == 1)
    text.mode = mode
    return text


def _is_wrong(mode: str, buffering: int) -> bool:
    """Whether ``open`` refuses these."""
    known = set(mode) <= set("rwxabt+") and len(mode) == len(set(mode)) and len(set(mode) & set("rwxa")) == 1
    return not known or ("t" in mode and "b" in mode) or (buffering == 0 and "b" not in mode) or buffering < -1


def _is_plain(file: Any, mode: object) -> bool:
    """Outside of runs: whether it is not known to be anything but a plain file."""
    if isinstance(file, int) or not isinstance(mode, str):
        return False
    try:
        return stat.S_ISREG(posix.stat(file).st_mode)
    except (OSError, ValueError, TypeError):
        return "r" not in mode


def _is_for_us(models: Models, file: Any, mode: object, opener: Any) -> bool:
    """Whether what is to be opened may be a plain file."""
    if not isinstance(mode, str):
        return False
    if isinstance(file, int):
        opened = _files.of_run(models).descriptors.get(file)
        return opened is not None
    if opener is not None:
        return True
    try:
        path = os.fsdecode(os.fspath(file))
    except TypeError:
        return False
    try:
        found = _files.find(models, path)
        status = posix.stat(found.path)
    except (OSError, ValueError):
        return True
    return stat.S_ISREG(status.st_mode)


FUNCTIONS["io", "open"] = open_
FUNCTIONS["io", "FileIO"] = FileIO
open_.__name__ = open_.__qualname__ = "open"
open_.__module__ = "_io"
open_.__doc__ = _real_open.__doc__
