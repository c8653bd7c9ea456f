"""CSV with a header: ``thread,op,kind,target,value,location``, one event a line; all that a trace holds.

``thread`` and ``op`` have to be there, in any order; other columns are errors. Operations are ``read``, ``write``,
``acquire`` ...: the names of :class:`mazurka.trace.event.Op` in lower case. ``kind`` is the kind of the target
(``var``, ``lock``, ``thread``, ``cond`` ...); left empty, it is the usual kind for the operation, and the target needs
a name. An empty value or location means that there is none. Fields are quoted as usual; no field holds the end of a
line.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable
from typing import BinaryIO, Final

from mazurka.trace.columns import Parts
from mazurka.trace.event import Op
from mazurka.trace.formats.line_reading import Malformed, ParsedEvent, read_lines
from mazurka.trace.formats.line_writing import Losses, Piece, write_pieces
from mazurka.trace.formats.source import TraceSource
from mazurka.trace.formats.words import KINDS, OWN
from mazurka.trace.locations import text_of
from mazurka.trace.trace import NOTHING

HEADER: Final = ("thread", "op", "kind", "target", "value", "location")

_OPS: Final = {op.name.lower(): op for op in Op}
_CONTROL: Final = re.compile(r"[\0-\x1f\x7f]")


def read(source: TraceSource) -> Parts:
    return read_lines(source, _Table().events)


class _Table:
    """The columns, by the header."""

    def __init__(self) -> None:
        self._columns: list[str] = []
        self._order: list[int] = []

    def events(self, line: str) -> Iterable[ParsedEvent]:
        if not self._columns:
            self._columns = self._header(line)
            # For a missing column the empty field is read that is added to each line.
            self._order = [self._columns.index(name) if name in self._columns else -1 for name in HEADER]
            return ()
        fields = _fields(line)
        if len(fields) != len(self._columns):
            raise Malformed(1, f"{len(fields)} fields instead of {len(self._columns)}")
        fields.append("")
        return (_event(*[fields[at] for at in self._order]),)

    def _header(self, line: str) -> list[str]:
        columns = _fields(line)
        if strange := [name for name in columns if name not in HEADER or columns.count(name) > 1]:
            raise Malformed(1, f"a column {strange[0]!r}, unknown or twice, in the header")
        if not {"thread", "op"} <= set(columns):
            raise Malformed(1, "a header without thread and op")
        return columns


def _fields(line: str) -> list[str]:
    if not line.isprintable() and (control := _CONTROL.search(line)):
        raise Malformed(control.start() + 1, f"a control character, {control.group()!r}")
    if '"' not in line:
        return line.split(",")
    try:
        rows = list(csv.reader([line], strict=True))
    except csv.Error as error:
        raise Malformed(1, str(error)) from None
    return rows[0]


def _event(thread: str, word: str, kind: str, target: str, value: str, location: str) -> ParsedEvent:
    op = _OPS.get(word)
    if op is None:
        raise Malformed(1, f"no operation is called {word}")
    if not thread:
        raise Malformed(1, "no thread name")
    if op in OWN:
        target = thread
    if not target and not kind and KINDS[op] != NOTHING[0]:
        raise Malformed(1, f"{word} needs a target")
    return ParsedEvent(thread, op, (kind or KINDS[op], target), location, value or None)


def write(parts: Parts, out: BinaryIO) -> list[str]:
    out.write((",".join(HEADER) + "\n").encode())
    losses = Losses()

    def quoted(text: str) -> str:
        text = losses.escaped(text, " ") if text else text
        doubled = text.replace('"', '""')
        return f'"{doubled}"' if "," in text or doubled != text else text

    pieces = (
        Piece("thread", lambda name: quoted(name) + ","),
        Piece("op", lambda op: op.name.lower() + ","),
        Piece("target", lambda target: f"{quoted(target[0])},{quoted(target[1])},"),
        Piece("value", lambda value: quoted(value or losses.escaped(value)) + ",", missing=","),
        Piece("site", lambda location: quoted(text_of(location)) + "\n", missing="\n"),
    )
    write_pieces(parts, out, pieces)
    return losses.listed()
