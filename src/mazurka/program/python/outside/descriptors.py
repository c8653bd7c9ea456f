"""Descriptors, whatever they stand for: reading, writing, copying and closing them."""

from __future__ import annotations

import os
from typing import Any

from mazurka.program.python.outside import files as _files
from mazurka.program.python.outside.files import read_descriptor, write_descriptor
from mazurka.program.python.outside.replacing import replace_function
from mazurka.program.python.outside.steps import change, pass_step
from mazurka.program.python.primitives.run import Models


def _read(models: Models, real: Any, descriptor: int, length: int, /) -> Any:
    read_descriptor(models, descriptor)
    return real(descriptor, length)


def _write(models: Models, real: Any, descriptor: int, data: Any, /) -> Any:
    return write_descriptor(models, descriptor, lambda: real(descriptor, data))


def _close(models: Models, real: Any, descriptor: int) -> None:
    files = _files.of_run(models)
    file = files.descriptors.get(descriptor)
    if file is not None:
        pass_step(models, change(*file.state))
        files.closed(descriptor)
    real(descriptor)


def _dup(models: Models, real: Any, descriptor: int, /) -> int:
    copy = int(real(descriptor))
    files = _files.of_run(models)
    file = files.descriptors.get(descriptor)
    if file is not None:
        files.use(copy, file)
    return copy


def _dup2(models: Models, real: Any, descriptor: int, other: int, inheritable: bool = True) -> int:
    files = _files.of_run(models)
    done = int(real(descriptor, other, inheritable))
    files.closed(other)
    file = files.descriptors.get(descriptor)
    if file is not None:
        files.use(other, file)
    return done


def _closerange(models: Models, real: Any, low: int, high: int, /) -> None:
    files = _files.of_run(models)
    for descriptor in [each for each in files.descriptors if low <= each < high]:
        _close(models, os.close, descriptor)
    real(low, high)


replace_function(os, "read", _read)
replace_function(os, "write", _write)
replace_function(os, "close", _close)
replace_function(os, "dup", _dup)
replace_function(os, "dup2", _dup2)
replace_function(os, "closerange", _closerange)
