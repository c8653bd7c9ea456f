"""RAPID's CSV: a column per thread, an event a line in its thread's column: ``,w(V3),``.

Threads are called by their column, ``T0``, ``T1`` ...; all lines have as many columns; one field of each is not empty.
Events are in the words of STD (:mod:`mazurka.trace.formats.words`), and ``start`` forks, too. ``sync(x)`` is four
events: a lock of its own is acquired, ``x`` is read and written, the lock is released. There are no values and
locations. To be written, a trace is held in memory, as the number of columns in the first line depends on all threads.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import BinaryIO, Final

from mazurka.trace.columns import Names, Parts, joined
from mazurka.trace.event import Op
from mazurka.trace.formats.line_reading import Malformed, ParsedEvent, read_lines
from mazurka.trace.formats.line_writing import Losses, Piece, write_lines
from mazurka.trace.formats.source import TraceSource
from mazurka.trace.formats.words import KINDS, WORD_OF, WORDS, target_of
from mazurka.trace.targets import LOCK, VARIABLE, Kind, kind_of
from mazurka.trace.trace import NOTHING

_WORDS: Final = {**WORDS, "start": Op.FORK}
_FIELD: Final = re.compile(r"([A-Za-z]+)(?:\(([^\s\0-\x1f\x7f]+)\))?")
_LOCK_OF: Final = "VARLOCK-{}-KCOLRAV"


def read(source: TraceSource) -> Parts:
    return read_lines(source, _Columns().events)


class _Columns:
    def __init__(self) -> None:
        self.count = 0

    def events(self, line: str) -> Iterable[ParsedEvent]:
        fields = line.split(",")
        self.count = self.count or len(fields)
        if len(fields) != self.count:
            raise Malformed(len(line) + 1, f"{len(fields)} columns instead of {self.count}")
        filled = [number for number, field in enumerate(fields) if field]
        if len(filled) != 1:
            raise Malformed(1, f"{len(filled)} events instead of one")
        thread, column = f"T{filled[0]}", filled[0] + 1
        found = _FIELD.fullmatch(fields[filled[0]])
        if found is None:
            raise Malformed(column, "no event")
        word, operand = found.groups()
        if word == "sync" and operand:
            lock = LOCK, _LOCK_OF.format(operand)
            yield ParsedEvent(thread, Op.ACQUIRE, lock)
            yield ParsedEvent(thread, Op.READ, (VARIABLE, operand))
            yield ParsedEvent(thread, Op.WRITE, (VARIABLE, operand))
            yield ParsedEvent(thread, Op.RELEASE, lock)
            return
        op = _WORDS.get(word)
        target = None if op is None else target_of(op, thread, operand or "")
        if op is None or target is None:
            raise Malformed(column, f"no operation is called {word}" if op is None else f"{word} needs a target")
        yield ParsedEvent(thread, op, target)


def write(parts: Parts, out: BinaryIO) -> list[str]:
    losses = Losses()
    rows = joined(parts.rows)
    names = parts.names
    columns = {name: number for number, name in enumerate(_ordered(names.threads))}
    losses.renames = any(name != f"T{number}" for name, number in columns.items())

    def text(target: tuple[str, str]) -> str:
        name = f"T{columns[target[1]]}" if kind_of(target) is Kind.THREAD else losses.escaped(target[1], without=",")
        return "" if target == NOTHING else f"({name})"

    pieces = (
        Piece("thread", lambda name: "," * columns[name]),
        Piece("op", lambda op: WORD_OF[op]),
        Piece("target", text),
        Piece("thread", lambda name: "," * (len(columns) - 1 - columns[name]) + "\n"),
    )
    whole = Parts(Names(names.threads, names.targets, names.values, names.locations), iter([rows]))
    write_lines(whole, out, "rapidcsv", pieces, KINDS, losses)
    return losses.listed("values", "locations")


def _ordered(threads: Iterable[str]) -> list[str]:
    """The threads in the order of their numbers if they are called T0, T1 ... without a gap; otherwise as they are."""
    names = list(threads)
    numbered = [f"T{number}" for number in range(len(names))]
    return numbered if set(numbered) == set(names) else names
