"""Descriptors of any kind: reading, writing, copying and closing them."""

from __future__ import annotations

import array
import fcntl
import os
import posix
import types
from typing import Any, Final

from mazurka.program.python.instrument.own import contextlib
from mazurka.program.python.outside import channels, descriptor_numbers
from mazurka.program.python.outside import files as _files
from mazurka.program.python.outside.files import read_descriptor, settle_close, settle_use, write_descriptor
from mazurka.program.python.outside.replacing import METHODS, replace_function
from mazurka.program.python.primitives.run import Models, count_uncontrolled, count_untracked
from mazurka.program.python.primitives.steps import pass_step
from mazurka.trace.event import Op


def _timeout(descriptor: int) -> float | None:
    return None if posix.get_blocking(descriptor) else 0.0


def _read(models: Models, real: Any, descriptor: int, length: int, /) -> Any:
    end = channels.of_run(models).by_descriptor.get(descriptor)
    if end is not None:
        number = descriptor_numbers.uses(models, descriptor)
        data = channels.receive(models, descriptor, end, lambda: real(descriptor, length), _timeout(descriptor), number)
        channels.received(end, len(data))
        return data
    read_descriptor(models, descriptor)
    return real(descriptor, length)


def _write(models: Models, real: Any, descriptor: int, data: Any, /) -> Any:
    end = channels.of_run(models).by_descriptor.get(descriptor)
    channels.hold(models, (data,), "os.write()")
    if end is not None:
        number = descriptor_numbers.uses(models, descriptor)
        return channels.send(models, descriptor, end, lambda: int(real(descriptor, data)), _timeout(descriptor), number)
    return write_descriptor(models, descriptor, lambda: real(descriptor, data))


def _close(models: Models, real: Any, descriptor: int) -> None:
    if descriptor in channels.of_run(models).by_descriptor:
        channels.closing(models, descriptor)
    else:
        settle_close(models, descriptor)
    real(descriptor)


def _dup(models: Models, real: Any, descriptor: int, /) -> int:
    settle_use(models, descriptor, position=False)
    copy = int(real(descriptor))
    descriptor_numbers.opened(models)
    descriptor_numbers.has(models, copy)
    files = _files.of_run(models)
    file = files.descriptors.get(descriptor)
    if file is not None:
        files.use(copy, file)
    _share_end(models, descriptor, copy)
    return copy


def _share_end(models: Models, descriptor: int, copy: int) -> None:
    """A new descriptor refers to the same end of a channel as another one."""
    ends = channels.of_run(models)
    if descriptor in ends.by_descriptor:
        ends.add(copy, ends.by_descriptor[descriptor])


def _dup2(models: Models, real: Any, descriptor: int, other: int, inheritable: bool = True) -> int:
    files = _files.of_run(models)
    accesses = [*descriptor_numbers.uses(models, descriptor), *descriptor_numbers.changes(models, other)]
    if accesses:
        pass_step(models, *accesses)
    channels.closing(models, other)
    done = int(real(descriptor, other, inheritable))
    files.closed(other)
    descriptor_numbers.opened(models)
    descriptor_numbers.has(models, other)
    _share_end(models, descriptor, other)
    file = files.descriptors.get(descriptor)
    if file is not None:
        files.use(other, file)
    return done


def _closerange(models: Models, real: Any, low: int, high: int, /) -> None:
    """Closes the descriptors of the run only; others may be our own."""
    known = {*_files.of_run(models).descriptors, *channels.of_run(models).by_descriptor}
    if accesses := descriptor_numbers.changes_of_range(models, low, high):
        pass_step(models, *accesses)
    for descriptor in range(max(low, 0), min(high, _MOST)):
        if descriptor in known:
            with contextlib.suppress(OSError):  # another thread may close it meanwhile
                _close(models, posix.close, descriptor)
        elif _is_open(descriptor):
            count_uncontrolled(models.runtime, "os.closerange of a descriptor that was open before the run")


def _is_open(descriptor: int) -> bool:
    try:
        posix.fstat(descriptor)
    except OSError:
        return False
    return True


#: At most so many descriptors are looked at.
_MOST: Final = 1 << 16


def _pipe(models: Models, real: Any, *flags: int) -> tuple[int, int]:
    descriptor_numbers.changing(models)
    reading, writing = real(*flags)
    channels.make_pipe(models, (reading, writing))
    return reading, writing


def _of_connection(name: str) -> Any:
    """`multiprocessing` keeps functions of `os` in its classes, as they are and as defaults of methods: replace these
    by the models."""

    def made(real: Any) -> Any:
        model = vars(os)[name]
        if not isinstance(real, types.FunctionType) or real.__module__ != "multiprocessing.connection":
            return staticmethod(model)
        return types.FunctionType(real.__code__, real.__globals__, real.__name__, (model,))

    return made


replace_function(os, "read", _read)
replace_function(os, "write", _write)
replace_function(os, "close", _close)
replace_function(os, "dup", _dup)
replace_function(os, "dup2", _dup2)
replace_function(os, "closerange", _closerange)
replace_function(os, "pipe", _pipe)
replace_function(os, "pipe2", _pipe)
for _method, _name in {
    "_read": "read",
    "_write": "write",
    "_close": "close",
    "_recv": "read",
    "_send": "write",
}.items():
    METHODS["multiprocessing.connection", f"Connection.{_method}"] = _of_connection(_name)


def _asking(models: Models, real: Any, descriptor: int, /, *args: Any) -> Any:
    """A function that reads a property of a descriptor, or has its data reach the disk."""
    settle_use(models, descriptor, position=False, inside=False)
    return real(descriptor, *args)


def _setting(models: Models, real: Any, descriptor: int, /, *args: Any) -> Any:
    """A function that sets a flag of a descriptor."""
    _change(models, descriptor)
    return real(descriptor, *args)


def _controlling(models: Models, real: Any, thing: Any, /, *args: Any) -> Any:
    """A function that sets or asks anything of a descriptor, or of the object of an open file."""
    if any(type(each) in (bytearray, memoryview, array.array) for each in args):
        count_untracked(models.runtime, f"{real.__name__}() with a buffer that it changes")
    _change(models, descriptor_numbers.number_of(models, thing))
    return real(thing, *args)


def _change(models: Models, descriptor: int) -> None:
    accesses = descriptor_numbers.changes(models, descriptor)
    end = channels.of_run(models).by_descriptor.get(descriptor)
    if end is not None:  # copies of a descriptor have the same flags
        channels.touch(models, Op.RMW, end.puts, end.gets, also=accesses)
    elif accesses:
        pass_step(models, *accesses)


for _function in "get_blocking get_inheritable device_encoding fpathconf fstatvfs fsync fdatasync ttyname".split():
    replace_function(os, _function, _asking)
for _function in ("set_blocking", "set_inheritable"):
    replace_function(os, _function, _setting)
for _function in ("fcntl", "ioctl"):
    replace_function(fcntl, _function, _controlling)
