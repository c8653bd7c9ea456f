"""The text of focs-lab's constraint-based predictor: ``Read <thread> <variable> <value>``, one event a line.

``Fork <thread> <child> 0``, ``Join``, ``Acq <thread> <lock> 0``, ``Rel`` and ``Write`` have the same form; ``Begin
<thread> 0 0`` and ``End`` name no target. A line has four words, separated by white space; the zeros are not looked at,
but some word has to be there. The format holds values, but no locations.

In this format threads and values are numbers of 32 bits, so other names are numbered when written; any text is read.
Every access has a value, and a predictor concludes from equal values that a read may see another write. So a write
whose value is not known is given one that no other write to its variable has, and a read is given the present value of
the variable: it can then only see the write that it saw, which is all that such a trace proves. Invented values start
at :data:`INVENTED`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import BinaryIO, Final

import numpy as np

from mazurka.trace.columns import Columns, Names, Parts
from mazurka.trace.event import Op
from mazurka.trace.formats.line_reading import Malformed, ParsedEvent, read_lines
from mazurka.trace.formats.line_writing import Losses, Piece, carried, write_pieces
from mazurka.trace.formats.numbering import NameNumbering
from mazurka.trace.formats.source import TraceSource
from mazurka.trace.formats.words import KINDS
from mazurka.trace.trace import NO_VALUE

#: Invented values are this number and those above it; known values are below.
INVENTED: Final = 1 << 31

_OPS: Final = {
    "Fork": Op.FORK,
    "Join": Op.JOIN,
    "Begin": Op.BEGIN,
    "End": Op.END,
    "Read": Op.READ,
    "Write": Op.WRITE,
    "Acq": Op.ACQUIRE,
    "Rel": Op.RELEASE,
}
_WORD_OF: Final = {op: word for word, op in _OPS.items()}
_LARGEST: Final = (1 << 32) - 1
_VALUED: Final = frozenset({Op.READ, Op.WRITE})
_CONTROL: Final = re.compile(r"[\0-\x08\x0e-\x1f\x7f]")


def read(source: TraceSource) -> Parts:
    return read_lines(source, lambda line: (_event(line),))


def _event(line: str) -> ParsedEvent:
    words = line.split()
    if control := _CONTROL.search(line):
        raise Malformed(control.start() + 1, f"a control character, {control.group()!r}")
    if len(words) != 4:
        raise Malformed(1, f"{len(words)} words instead of four")
    word, thread, operand, value = words
    op = _OPS.get(word)
    if op is None:
        raise Malformed(1, f"no operation is called {word}")
    name = thread if op in (Op.BEGIN, Op.END) else operand
    return ParsedEvent(thread, op, (KINDS[op], name), "", value if op in _VALUED else None)


def write(parts: Parts, out: BinaryIO) -> list[str]:
    losses = Losses()
    threads = NameNumbering("", _LARGEST, kin="T")
    values = _Values(parts.names)
    rows = values.filled(carried(parts, "focs", {op: KINDS[op] for op in _WORD_OF}, losses))

    def text(target: tuple[str, str]) -> str:
        kind, name = target
        return f"{threads.of(name) if kind == 'thread' else losses.escaped(name)} "

    pieces = (
        Piece("op", lambda op: _WORD_OF.get(op, "") + " "),
        Piece("thread", lambda name: f"{threads.of(name)} "),
        Piece("target", text, missing="0 "),
        Piece("value", lambda value: f"{value}\n", missing="0\n"),
    )
    names = parts.names
    write_pieces(Parts(Names(names.threads, names.targets, values.written, names.locations), rows), out, pieces)
    losses_of_numbering = ["names of threads, numbered instead"] * threads.renumbered + [
        "values, numbered instead"
    ] * values.renumbered
    if values.invented:
        losses_of_numbering.append(
            f"that {values.invented:,} values are not known (invented: a read can only see the write that it saw)"
        )
    return losses.listed("locations") + losses_of_numbering


class _Values:
    """The values to write; :attr:`written` has the texts for the numbers in columns."""

    def __init__(self, names: Names) -> None:
        self.written: list[str] = []
        self.invented = 0
        self._names = names
        self._numbering = NameNumbering("", INVENTED - 1)
        self._known: list[int] = []  # by number of a value: its place in written
        self._new: list[int] = []  # by number of an invented value
        self._writes: dict[int, int] = {}  # by target: how many values were invented for writes to it
        self._present: dict[int, int] = {}  # by target: the place of its present value in written

    @property
    def renumbered(self) -> bool:
        return self._numbering.renumbered

    def filled(self, parts: Iterator[Columns]) -> Iterator[Columns]:
        """The rows with a value for each access and for no other event, and without targets of BEGIN and END."""
        for rows in parts:
            for name in self._names.values[len(self._known) :]:
                self._known.append(len(self.written))
                self.written.append(str(self._numbering.of(name)))
            value = np.full(rows.rows, NO_VALUE, np.int32)
            access = np.flatnonzero(np.isin(rows.op, (Op.READ, Op.WRITE)))
            value[access] = self._of_accesses(rows.select(access))
            own = np.isin(rows.op, (Op.BEGIN, Op.END))
            yield rows._replace(value=value, target=np.where(own, -1, rows.target))

    def _of_accesses(self, rows: Columns) -> list[int]:
        places, known, present = [], self._known, self._present
        for op, target, value in zip(rows.op.tolist(), rows.target.tolist(), rows.value.tolist(), strict=True):
            if value != NO_VALUE:
                present[target] = known[value]
            else:
                self.invented += 1
                if op == Op.WRITE:
                    self._writes[target] = number = self._writes.get(target, 0) + 1
                    present[target] = self._invented(number)
                elif target not in present:
                    present[target] = self._invented(0)
            places.append(present[target])
        return places

    def _invented(self, number: int) -> int:
        """The place in ``written`` of a variable's ``number``-th invented value; 0 is its initial value."""
        while len(self._new) <= number:
            self._new.append(len(self.written))
            self.written.append(str(INVENTED + len(self._new) - 1))
        return self._new[number]
