"""STD, the text format of RAPID: one event a line, ``thread|operation(operand)|location``.

Read as RAPID does (``parse/std`` there), but strictly: three fields, an operation that is known
(:mod:`mazurka.trace.formats.words`), names without white space or control characters. Lines may end with a carriage
return, the last one without a line feed; empty lines are malformed. Locations are RAPID's numbers or ``file.c:12``.

:mod:`mazurka.trace.formats.std_lines` decides the meaning of a line. Files of more than :data:`SMALL` bytes are read by
compiled code (:mod:`mazurka.trace.formats.std_compiled`), which hands to it every line that is not of the common kind.
Names are written as they are, but for white space and bars (``%20``, ``%7C``), which is reported. Cost: 1.5
microseconds a line here, some 50 ns compiled; written, 0.2.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import BinaryIO, Final

import numpy as np

from mazurka.jit.compile import pays
from mazurka.trace.columns import Columns, Parts
from mazurka.trace.event import Op
from mazurka.trace.formats.line_reading import read_lines
from mazurka.trace.formats.line_writing import Losses, Piece, cannot_carry, write_lines
from mazurka.trace.formats.source import TraceSource
from mazurka.trace.formats.std_lines import event_of_line
from mazurka.trace.formats.words import KINDS, WORD_OF, target_of
from mazurka.trace.locations import text_of
from mazurka.trace.targets import THREAD
from mazurka.trace.trace import NOTHING

#: For files up to this size importing a compiler does not pay.
SMALL: Final = 1 << 20


def read(source: TraceSource) -> Parts:
    if pays(len(source.head(SMALL + 1)), SMALL + 1):
        from mazurka.trace.formats.std_compiled import read as read_compiled

        return read_compiled(source)
    return read_lines(source, lambda line: (event_of_line(line),))


def write(parts: Parts, out: BinaryIO) -> list[str]:
    losses = Losses()
    pieces = (
        Piece("thread", lambda name: losses.escaped(name, without="|") + "|"),
        Piece("op", lambda op: WORD_OF[op]),
        Piece("target", lambda target: "|" if target == NOTHING else f"({losses.escaped(target[1], without='|')})|"),
        Piece("site", lambda location: losses.escaped(text_of(location), " ", "|") + "\n", missing="\n"),
    )
    write_lines(Parts(parts.names, _unambiguous(parts)), out, "std", pieces, KINDS, losses)
    return losses.listed("values")


def _unambiguous(parts: Parts) -> Iterator[Columns]:
    """The parts; an error for a bare number that would be read as another thread's name."""
    before, names = 0, parts.names
    for rows in parts.rows:
        asking = np.flatnonzero(np.isin(rows.op, (Op.FORK, Op.JOIN)))
        for row in asking.tolist():
            by, (kind, name) = names.threads[rows.thread[row]], names.targets[rows.target[row]]
            if target_of(Op.FORK, by, name) != (THREAD, name) and kind == THREAD:
                raise cannot_carry("std", before + row, f"thread {name} beside {by}, to which it would be T{name}")
        before += rows.rows
        yield rows
