"""Descriptors of any kind: reading, writing, copying and closing them."""

from __future__ import annotations

import os
import posix
import types
from typing import Any

from mazurka.program.python.outside import channels, descriptor_numbers
from mazurka.program.python.outside import files as _files
from mazurka.program.python.outside.files import read_descriptor, write_descriptor
from mazurka.program.python.outside.replacing import METHODS, replace_function
from mazurka.program.python.primitives.run import Models
from mazurka.program.python.primitives.steps import change, pass_step


def _timeout(descriptor: int) -> float | None:
    return None if posix.get_blocking(descriptor) else 0.0


def _read(models: Models, real: Any, descriptor: int, length: int, /) -> Any:
    end = channels.of_run(models).by_descriptor.get(descriptor)
    if end is not None:
        data = channels.receive(models, descriptor, end, lambda: real(descriptor, length), _timeout(descriptor))
        channels.received(end, len(data))
        return data
    read_descriptor(models, descriptor)
    return real(descriptor, length)


def _write(models: Models, real: Any, descriptor: int, data: Any, /) -> Any:
    end = channels.of_run(models).by_descriptor.get(descriptor)
    channels.hold(models, (data,), "os.write()")
    if end is not None:
        return channels.send(models, descriptor, end, lambda: int(real(descriptor, data)), _timeout(descriptor))
    return write_descriptor(models, descriptor, lambda: real(descriptor, data))


def _close(models: Models, real: Any, descriptor: int) -> None:
    files = _files.of_run(models)
    file = files.descriptors.get(descriptor)
    if file is not None:
        pass_step(models, change(*file.state))
        files.closed(descriptor)
    channels.closing(models, descriptor)
    descriptor_numbers.closed(models)
    real(descriptor)


def _dup(models: Models, real: Any, descriptor: int, /) -> int:
    copy = int(real(descriptor))
    descriptor_numbers.opened(models)
    files = _files.of_run(models)
    file = files.descriptors.get(descriptor)
    if file is not None:
        files.use(copy, file)
    _share_end(models, descriptor, copy)
    return copy


def _share_end(models: Models, descriptor: int, copy: int) -> None:
    """Two descriptors stand for the same end."""
    ends = channels.of_run(models)
    if descriptor in ends.by_descriptor:
        ends.add(copy, ends.by_descriptor[descriptor])


def _dup2(models: Models, real: Any, descriptor: int, other: int, inheritable: bool = True) -> int:
    files = _files.of_run(models)
    channels.closing(models, other)
    done = int(real(descriptor, other, inheritable))
    files.closed(other)
    _share_end(models, descriptor, other)
    file = files.descriptors.get(descriptor)
    if file is not None:
        files.use(other, file)
    return done


def _closerange(models: Models, real: Any, low: int, high: int, /) -> None:
    known = {*_files.of_run(models).descriptors, *channels.of_run(models).by_descriptor}
    for descriptor in [each for each in sorted(known) if low <= each < high]:
        _close(models, posix.close, descriptor)
    real(low, high)


def _pipe(models: Models, real: Any, *flags: int) -> tuple[int, int]:
    reading, writing = real(*flags)
    channels.make_pipe(models, (reading, writing))
    return reading, writing


def _of_connection(name: str) -> Any:
    """`multiprocessing` keeps functions of `os` in its classes, as they are and as defaults of methods: have them be
    those that stand in for them."""

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
