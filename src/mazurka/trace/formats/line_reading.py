"""Reading formats of at most one event a line: such a format only defines the meaning of a line."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from mazurka.trace.columns import Columns, Parts
from mazurka.trace.event import Op
from mazurka.trace.formats.gathering import RowCollector
from mazurka.trace.formats.source import TraceSource


class ParsedEvent(NamedTuple):
    """One event of a line; an empty location means that there is none."""

    thread: str
    op: Op
    target: tuple[str, str]
    location: str = ""
    value: str | None = None


class Malformed(Exception):
    """An error in a line, with its column (from 1)."""

    def __init__(self, column: int, message: str) -> None:
        super().__init__(column, message)
        self.column = column
        self.message = message


#: The events of a line; raises :class:`Malformed`.
Meaning = Callable[[str], Iterable[ParsedEvent]]


def read_lines(source: TraceSource, meaning: Meaning) -> Parts:
    """Read a file of one or several events a line; ``meaning`` gives the events of a line, or raises an error."""
    gathering = RowCollector()
    return Parts(gathering.names, _rows(source, meaning, gathering))


def _rows(source: TraceSource, meaning: Meaning, gathering: RowCollector) -> Iterator[Columns]:
    for number, line in source.lines():
        try:
            for parsed in meaning(line):
                gathering.event(*parsed)
        except Malformed as error:
            raise source.malformed(number, error.column, error.message) from None
        if gathering.is_full:
            yield gathering.taken()
    yield gathering.taken()
