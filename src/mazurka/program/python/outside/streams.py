"""File objects: `open`, and its results.

A file that a run opens is an object of `io`'s own classes, or rather of subclasses with the same names, whose methods
pass the steps. Each object and its layers (text, buffer, raw file) have one state, ``("open file", n)``: every call
changes it. The file itself is read and written when the raw file is: data written into a buffer reaches the file when
the buffer is flushed, in a step of its own. Buffers are in C and exclude other threads while they work, so no thread
may stop inside of one: data that they hand to the raw file is kept and written to the file afterwards.

Text files have no lock: during a read, before the text file asks its buffer for more, other threads may use it, and
lines get lost as in CPython. Other threads may also use it during a call that goes through several lines, during a
change of its position, between the flush and the end of a close, and, before Python 3.12.4, during a write that makes
it hand on its collected data; but only where the system is called meanwhile. Such a call is one step here, and
untracked beside another use of the same file.

The end of such objects after their run, unflushed data included, has no effect on files.
"""

from __future__ import annotations

import contextlib
import io
import os
import posix
import stat
import sys
from collections.abc import Callable
from typing import Any, Final

from greenlet import GreenletExit

from mazurka.program.python.outside import channels, descriptor_numbers
from mazurka.program.python.outside import files as _files
from mazurka.program.python.outside.buffers import open_pipe
from mazurka.program.python.outside.files import JOURNAL, Files, Opened, before_write, look_at
from mazurka.program.python.outside.journal import NotKept
from mazurka.program.python.outside.opening import open_path
from mazurka.program.python.outside.replacing import FUNCTIONS, present
from mazurka.program.python.primitives.run import Models, count_untracked
from mazurka.program.python.primitives.steps import StepAccess, change, pass_step, read
from mazurka.program.python.semantics.additions import note_addition, note_look_aside
from mazurka.program.python.semantics.harmless import is_stateless_device

_real_open: Final = io.open
_RealFileIO: Final[Any] = io.FileIO


class _Layers:
    """The state that an object shares with its layers."""

    __slots__ = ("busy", "dirty", "dying", "file", "files", "has_text", "pending", "printing", "stored", "within")

    def __init__(self, files: Files | None, file: Opened) -> None:  # none: it was opened before all runs
        self.files = files
        self.file = file
        self.busy = False  # inside of a buffer
        self.dying = False  # no other thread can refer to it any more
        self.dirty = False  # some data may not have reached the raw file
        self.has_text = False  # there is a text layer, whose own data a flush of the buffer leaves as it is
        self.stored: list[bytes] = []  # data that a buffer has handed to the raw file, still to be written
        self.pending = 0  # bytes at most that a text file has not handed to its buffer
        self.printing: dict[int, _Printing] = {}  # by thread
        self.within: int | None = None  # the thread in a call during which others can move


class _Printing:
    """A call of ``print``, which writes its parts one by one, without other threads in between."""

    __slots__ = ("left", "place")

    def __init__(self, left: int) -> None:
        self.left = left  # how many parts are left
        self.place: Any = None  # after a part: the caller of print, and how many steps there were then

    def is_next(self, models: Models, frame: Any) -> bool:
        """Whether a part that is written now comes right after the part before it."""
        if not self.left:
            return False
        self.left -= 1
        return bool(self.place == self._place(models, frame))

    def written(self, models: Models, frame: Any) -> None:
        """A part is being written, in a step of its own."""
        self.place = self._place(models, frame)

    @staticmethod
    def _place(models: Models, frame: Any) -> tuple[int, int, int]:
        return id(frame), frame.f_lasti, len(models.runtime.log)


# -- the raw file ----------------------------------------------------------------------------


class Preparing:
    """A context in which files that are opened outside of runs are of a class whose operations runs will see."""

    on = False

    def __enter__(self) -> None:
        Preparing.on = True

    def __exit__(self, *exception: object) -> None:
        Preparing.on = False


class _RawKind(type(_RealFileIO)):  # type: ignore[misc]  # a type
    """Counts files that were opened outside of runs as instances, too."""

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
        """The file was opened outside of runs: there it is an ordinary file object."""
        status = posix.fstat(_RealFileIO.fileno(self))
        if stat.S_ISREG(status.st_mode):
            identity = status.st_dev, status.st_ino
            self._mz = _Layers(None, Opened(f"of {path}", path, identity, {path}, 0))

    def _mz_abandon(self) -> None:
        """The run is over: close the file, without the stored bytes."""
        self._mz_left = True
        try:
            if not _RealFileIO.closed.__get__(self) and self.closefd:
                if self._mz is not None and self._mz.files is not None:
                    self._mz.files.descriptors.pop(_RealFileIO.fileno(self), None)
                _RealFileIO.close(self)
        except OSError:
            return

    def write(self, data: Any, /) -> Any:
        """As ``io.FileIO``; a step on the file, or bytes kept for the step that the buffer above is in."""
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
            _add(models, change(*layers.file.state), *layers.file.written())
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
                self._mz_abandon()  # the run ends here, and the content of buffers is dropped
                raise
        elif JOURNAL.is_held:  # in clean-up code, at the end of the run or after it
            try:
                JOURNAL.writing(layers.file.path, posix.fstat(descriptor))
            except (NotKept, OSError):
                return memoryview(data).nbytes
        done = _RealFileIO.write(self, data)
        if JOURNAL.is_held:
            JOURNAL.wrote(posix.fstat(descriptor))
        return done

    def close(self) -> None:
        """As ``io.FileIO``; bytes that are kept are written first."""
        layers = self._mz
        if layers is None and (models := present()) is not None and not _RealFileIO.closed.__get__(self):
            descriptor_numbers.changing(models)
            descriptor_numbers.closed(models)
        if layers is not None and not _RealFileIO.closed.__get__(self):
            if layers.stored:
                _put_stored(None, layers, self)
            if not layers.busy:
                _step(layers, self, "close")
            if self.closefd and layers.files is not None:
                layers.files.closed(_RealFileIO.fileno(self))
        super().close()

    def truncate(self, size: int | None = None, /) -> int:
        """As ``io.FileIO``; the content is saved in the journal first."""
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
    except (AttributeError, ValueError):  # it is being made, or detached
        return None
    return found


# -- calls of methods ----------------------------------------------------------------------------


def _use(models: Models, layers: _Layers, thing: Any) -> None:
    """A run uses a file that was opened before: its position, which all processes share, has to be put back."""
    files = _files.of_run(models)
    if layers.files is None and layers not in files.positions:
        descriptor = _RealFileIO.fileno(_raw_of(thing))
        files.positions[layers] = descriptor, os.lseek(descriptor, 0, os.SEEK_CUR)


def _add(models: Models, *accesses: StepAccess) -> None:
    """Pass a step that adds to a file, or to its buffer, and shows nothing of it."""
    pass_step(models, *accesses)
    note_addition(models.runtime, accesses[0].target)


def _step(layers: _Layers, thing: Any, name: str, *, reads: bool = False) -> None:
    """Pass the step of a method."""
    models = present()
    if models is None or layers.dying:
        return
    if layers.files is None:
        _use(models, layers, thing)
    used = change(*layers.file.state)
    if name in _ADDING:
        _add(models, used)
    else:
        file = layers.file.read() if reads else layers.file.written() if name == "truncate" else ()
        pass_step(models, used, *file)
        if name == "close":
            note_look_aside(models.runtime, used.target)
    if layers.within not in (None, models.runtime.current.index):
        count_untracked(models.runtime, "a file in use by two threads at the same time")


def _put_stored(models: Models | None, layers: _Layers, raw: Any) -> None:
    """Write the bytes that a buffer has handed on to the file."""
    while layers.stored:
        if models is not None:
            _add(models, change(*layers.file.state), *layers.file.written())
            if not layers.stored:
                return  # another thread has done so
        data = layers.stored.pop(0)
        while data:
            data = data[raw._mz_put(models, data) or 0 :]


def _inside(layers: _Layers, thing: Any, method: Callable[..., Any], *args: Any, **named: Any) -> Any:
    """Call a method of a buffer, and then write the bytes that it has handed on to the file."""
    layers.busy = True
    try:
        return method(thing, *args, **named)
    finally:
        layers.busy = False
        if layers.stored:
            _put_stored(present(), layers, _raw_of(thing))


def _is_interrupted(name: str, layers: _Layers, thing: Any, args: tuple[Any, ...], is_text: bool) -> bool:
    """Whether CPython may let other threads use the same file during a call that is one step here."""
    if name in ("close", "detach"):  # these flush, and go on without a look whether the file is still as it was
        raw = _raw_of(thing)
        return not _RealFileIO.closed.__get__(raw) and bool(_RealFileIO.writable(raw))
    if name != "write" or not is_text:
        return name in ("readlines", "writelines") or (is_text and name in ("seek", "tell"))
    text = args[0] if args and isinstance(args[0], str) else ""
    layers.pending += len(text) if text.isascii() else 4 * len(text)
    return _LOSES_WRITES and layers.pending > _CHUNK


def _method(
    real: Callable[..., Any],
    *,
    reads: bool = False,
    writes: bool = False,
    settles: bool = False,
    is_text: bool = False,
) -> Any:
    """A method of a buffered or text file; ``settles``: the content of the buffer is written to the file first."""
    name = real.__name__
    stops_inside = is_text and name in ("read", "readline", "__next__")

    def call(self: Any, *args: Any, **named: Any) -> Any:
        layers = _layers_of(self)
        if layers is None or layers.busy:
            return real(self, *args, **named)
        if not _is_interrupted(name, layers, self, args, is_text) or layers.within is not None:
            return perform(self, layers, args, named)
        models = present()
        if models is None or models.runtime.solo:
            return perform(self, layers, args, named)
        _step(layers, self, name)
        layers.within = models.runtime.current.index
        try:
            return perform(self, layers, args, named)
        finally:
            layers.within = None

    def perform(self: Any, layers: _Layers, args: tuple[Any, ...], named: dict[str, Any]) -> Any:
        flushes = settles and not (is_text and name == "read" and _is_of_some(args, named))
        if flushes and layers.dirty:
            flush(self, layers)
        if reads and args and (models := present()) is not None:
            channels.hold(models, args[:1], f"{name}()")
        models = present() if name == "write" else None
        printing = None if models is None else layers.printing.get(models.runtime.current.index)
        if printing is None or models is None:
            _step(layers, self, name, reads=reads)
        elif not printing.is_next(models, frame := sys._getframe(2)):
            _step(layers, self, name, reads=reads)
            printing.written(models, frame)
        while flushes and layers.dirty and (is_text or not layers.has_text):  # another thread has written meanwhile
            flush(self, layers)
            _step(layers, self, name, reads=reads)
        if writes:
            layers.dirty = True
        return real(self, *args, **named) if stops_inside else _inside(layers, self, real, *args, **named)

    def flush(self: Any, layers: _Layers) -> None:
        """Have the data in the buffer reach the file, in steps of its own."""
        if is_text or not layers.has_text:
            layers.dirty, layers.pending = False, 0
        _step(layers, self, "flush")
        with contextlib.suppress(ValueError):  # the file is closed: the method itself raises the error, if need be
            _inside(layers, self, type(self)._mz_flush)

    call.__name__ = name
    call.__doc__ = real.__doc__
    return call


def _is_of_some(args: tuple[Any, ...], named: dict[str, Any]) -> bool:
    """Whether `read` of a text file is called for a number of characters, not for all."""
    size = args[0] if args else named.get("size")
    return isinstance(size, int) and size >= 0


_READS: Final = ("read", "read1", "readinto", "readinto1", "readline", "readlines", "peek", "__next__", "seek")
_WRITES: Final = ("write", "writelines")
#: Reads of a text file that ask its buffer for a piece by ``read1``.
_BY_LINE: Final = ("readline", "readlines", "__next__")
#: The bytes that a text file collects before it hands them to its buffer.
_CHUNK: Final = 8192
#: Whether a write of one thread may replace that of another while the file hands on its collected data.
_LOSES_WRITES: Final = sys.version_info < (3, 12, 4)
#: Methods that show nothing of what is in a file, or in its buffer.
_ADDING: Final = ("write", "writelines", "flush")
_SETTLES: Final = ("tell", "truncate", "flush", "close", "detach", "reconfigure")


def _closed(base: Any) -> property:
    """Whether a file is closed is part of its state."""

    def closed(self: Any) -> bool:
        layers = _layers_of(self)
        if layers is not None and not layers.busy and not layers.dying:
            models = present()
            if models is not None:
                looked = read(*layers.file.state)
                pass_step(models, looked)
                note_look_aside(models.runtime, looked.target)
        return bool(base.closed.__get__(self))

    return property(closed)


def _enter(self: Any) -> Any:
    if self.closed:
        raise ValueError("I/O operation on closed file.")
    return self


def _exit(self: Any, *exception: object) -> None:
    self.close()


def _print(self: Any, task: int, parts: int) -> None:
    """A thread is about to ``print`` so many parts."""
    layers = _layers_of(self)
    if layers is not None:
        layers.printing[task] = _Printing(parts)


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
    is_text = issubclass(base, io.TextIOWrapper)
    for name in (*_READS, *_WRITES, *_SETTLES):
        if hasattr(base, name):
            real = getattr(base, name)
            reads, writes = name in _READS, name in _WRITES
            by_line = name == "read1" or (is_text and name in _BY_LINE)  # these methods do not flush
            settles = not writes and not by_line
            body[name] = _method(real, reads=reads, writes=writes, settles=settles, is_text=is_text)
    body["_mz_flush"] = base.flush
    if is_text:
        body["_mz_print"] = _print
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
    if models is not None and isinstance(file, int):
        _files.settle_use(models, file, position=False, inside=False)
    if models is not None and isinstance(file, int) and file in channels.of_run(models).by_descriptor:
        return open_pipe(file, mode, buffering, encoding, errors, newline, closefd)
    if models is None and not (Preparing.on and _is_plain(file, mode)):
        return _real_open(file, mode, buffering, encoding, errors, newline, closefd, opener)
    if models is not None and not _is_for_us(models, file, mode, opener):
        if not isinstance(file, int):
            look_at(models, file)
            descriptor_numbers.opens_some(models)  # closing it is no step
        return _real_open(file, mode, buffering, encoding, errors, newline, closefd, opener)
    binary = "b" in mode
    if binary or _is_wrong(mode, buffering):
        if _is_wrong(mode, buffering) or encoding is not None or errors is not None or newline is not None:
            # it raises the error, before it opens any file
            return _real_open(file, mode, buffering, encoding, errors, newline, closefd, opener)
    raw = FileIO(file, mode.replace("b", "").replace("t", ""), closefd, opener)
    if raw._mz is None:
        return _layered(raw, mode, buffering, encoding, errors, newline)
    raw._mz.busy = True  # no other thread has it yet
    try:
        return _layered(raw, mode, buffering, encoding, errors, newline)
    finally:
        raw._mz.busy = False


def _layered(raw: Any, mode: str, buffering: int, encoding: Any, errors: Any, newline: Any) -> Any:
    """The layers that ``open`` puts around a raw file."""
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
        if raw._mz is not None:
            raw._mz.has_text = True
        text.mode = mode
        return text
    except BaseException:
        result.close()
        raise


def _is_wrong(mode: str, buffering: int) -> bool:
    """Whether ``open`` refuses these arguments."""
    known = set(mode) <= set("rwxabt+") and len(mode) == len(set(mode)) and len(set(mode) & set("rwxa")) == 1
    return not known or ("t" in mode and "b" in mode) or (buffering == 0 and "b" not in mode) or buffering < -1


def _is_plain(file: Any, mode: object) -> bool:
    """Whether an argument, outside of runs, is not known to be other than a plain file."""
    if isinstance(file, int) or not isinstance(mode, str):
        return False
    try:
        return stat.S_ISREG(posix.stat(file).st_mode)
    except (OSError, ValueError, TypeError):
        return "r" not in mode


def _is_for_us(models: Models, file: Any, mode: object, opener: Any) -> bool:
    """Whether a path may be that of a plain file; a present directory may be a file when its thread moves."""
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
    return stat.S_ISREG(status.st_mode) or stat.S_ISDIR(status.st_mode) or is_stateless_device(status)


FUNCTIONS["io", "open"] = open_
FUNCTIONS["io", "FileIO"] = FileIO
open_.__name__ = open_.__qualname__ = "open"
open_.__module__ = "_io"
open_.__doc__ = _real_open.__doc__
