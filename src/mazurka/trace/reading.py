"""Traces from files: whole, or in parts where they are larger than memory."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from mazurka.errors import MazurkaError, UsageError
from mazurka.trace.columns import Columns, Parts, assemble
from mazurka.trace.formats.format import Format, format_of, named
from mazurka.trace.formats.source import STANDARD, TraceSource
from mazurka.trace.trace import Trace


def read_trace(path: str | Path, kind: str | None = None) -> Trace:
    """The trace in a file; ``kind`` names its format where neither name nor content determine it."""
    with opened(path, kind) as (_, parts):
        return assemble(parts)


@contextmanager
def opened(path: str | Path, kind: str | None = None) -> Iterator[tuple[Format, Parts]]:
    """The trace in a file, a FIFO or, called ``-``, standard input: its format and its parts. It is closed afterwards.
    A trace without events is an error, except a recording, whose threads may share nothing."""
    path = Path(path)
    if path != STANDARD and not path.exists():
        raise UsageError("no-such-file", "there is no such file", where=str(path))
    with TraceSource(path) as source:
        if not path.is_dir() and not source.head(1):
            raise _empty(source)
        found = named(kind) if kind else format_of(source)
        parts = found.module().read(source)
        yield found, parts if found.name == "parquet" else Parts(parts.names, _some(parts.rows, source))


def _some(parts: Iterator[Columns], source: TraceSource) -> Iterator[Columns]:
    rows = 0
    for part in parts:
        rows += part.rows
        yield part
    if not rows:
        raise _empty(source)


def _empty(source: TraceSource) -> MazurkaError:
    return MazurkaError("trace-empty", "it holds no events", where=source.name, hint="was it written to its end?")
