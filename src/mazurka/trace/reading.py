"""Traces from files: whole, or in parts where they are larger than memory."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from mazurka.errors import UsageError
from mazurka.trace.columns import Parts, assemble
from mazurka.trace.formats.format import Format, format_of, named
from mazurka.trace.formats.source import Source
from mazurka.trace.trace import Trace


def read_trace(path: str | Path, kind: str | None = None) -> Trace:
    """The trace in a file; ``kind`` names its format where neither name nor content tell."""
    with opened(path, kind) as (_, parts):
        return assemble(parts)


@contextmanager
def opened(path: str | Path, kind: str | None = None) -> Iterator[tuple[Format, Parts]]:
    """The trace in a file in parts, and the format it has; the file is closed afterwards."""
    path = Path(path)
    if not path.exists():
        raise UsageError("no-such-file", "there is no such file", where=str(path))
    with Source(path) as source:
        found = named(kind) if kind else format_of(source)
        yield found, found.module().read(source)
