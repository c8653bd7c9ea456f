"""Traces to files: whole or not at all.

A file is written under another name next to where it belongs and then renamed, so that a disk that fills or a reader
that finds its input malformed leaves nothing half-done behind. ``.gz`` and ``.zst`` compress.
"""

from __future__ import annotations

import contextlib
import gzip
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO, Final

from mazurka.errors import MazurkaError, UsageError
from mazurka.trace.columns import Parts
from mazurka.trace.formats.format import Format

_UNFINISHED: Final = ".unfinished"
_COMPRESSED: Final = (".gz", ".zst", ".zstd")


def write_trace(parts: Parts, path: str | Path, known: Format) -> list[str]:
    """Writes a trace in a format; what got lost, in words."""
    path = Path(path)
    if known.name == "parquet" and path.suffix in _COMPRESSED:
        raise UsageError("trace-format", "Parquet is compressed already", where=str(path))
    with _finished(path) as out:
        return known.module().write(parts, out)


@contextlib.contextmanager
def _finished(path: Path) -> Iterator[BinaryIO]:
    unfinished = path.with_name(path.name + _UNFINISHED)
    try:
        with unfinished.open("wb") as file, _compressing(file, path.suffix) as out:
            yield out
        os.replace(unfinished, path)
    except OSError as error:
        raise MazurkaError(
            "trace-unwritable", f"can't be written: {error.strerror or error}", where=str(path)
        ) from error
    finally:
        unfinished.unlink(missing_ok=True)


def _compressing(file: BinaryIO, suffix: str) -> Any:
    if suffix == ".gz":
        return gzip.GzipFile(fileobj=file, mode="wb", compresslevel=6, mtime=0)
    if suffix in (".zst", ".zstd"):
        import pyarrow

        return pyarrow.CompressedOutputStream(file, "zstd")
    return contextlib.nullcontext(file)
