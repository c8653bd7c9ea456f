"""Traces to files: whole or not at all.

A file is written under another name in the same folder and then renamed, so that no incomplete file is left if the disk
is full, or if the input turns out to be malformed while it is read. Standard output (``-``), FIFOs and devices are
written to as they are. ``.gz``, ``.bz2``, ``.xz`` and ``.zst`` compress.
"""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, Final

from mazurka.errors import MazurkaError, UsageError
from mazurka.trace.columns import Parts
from mazurka.trace.formats.format import Format
from mazurka.trace.formats.packed import compression_for, packing
from mazurka.trace.formats.source import STANDARD

_UNFINISHED: Final = ".unfinished"


def write_trace(parts: Parts, path: str | Path, known: Format) -> list[str]:
    """Writes a trace in a format; returns the losses, in words."""
    path = Path(path)
    if known.name == "parquet" and compression_for(path.name):
        raise UsageError("trace-format", "Parquet is compressed already", where=str(path))
    with _finished(path) as out:
        return known.module().write(parts, out)


@contextlib.contextmanager
def _finished(path: Path) -> Iterator[BinaryIO]:
    try:
        with _in_place(path) if path == STANDARD or _is_special(path) else _renamed(path) as file:
            known = compression_for(path.name)
            with packing(known, file) if known else contextlib.nullcontext(file) as out:
                yield out
    except (OSError, ImportError) as error:
        name = "standard output" if path == STANDARD else str(path)
        why = error.strerror if isinstance(error, OSError) and error.strerror else error
        raise MazurkaError("trace-unwritable", f"can't be written: {why}", where=name) from error


@contextlib.contextmanager
def _renamed(path: Path) -> Iterator[BinaryIO]:
    unfinished = path.with_name(path.name + _UNFINISHED)
    try:
        with unfinished.open("wb") as file:
            yield file
        os.replace(unfinished, path)
    finally:
        unfinished.unlink(missing_ok=True)


@contextlib.contextmanager
def _in_place(path: Path) -> Iterator[BinaryIO]:
    if path != STANDARD:
        with path.open("wb") as file:
            yield file
        return
    yield sys.stdout.buffer
    sys.stdout.buffer.flush()


def _is_special(path: Path) -> bool:
    """Whether the path exists and is no regular file: a FIFO, a device."""
    return path.exists() and not path.is_file()
