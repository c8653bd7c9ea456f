"""The text of focs-lab's constraint-based predictor: ``Read <thread> <variable> <value>``, one event a line.

``Fork <thread> <child> 0``, ``Join``, ``Acq <thread> <lock> 0``, ``Rel``, ``Write`` alike; ``Begin <thread> 0 0`` and
``End`` name nothing else. Four words, separated by white space; what is not a value is not looked at, but has to be
there. It knows values, but no locations.
"""

from __future__ import annotations

import re
from typing import BinaryIO, Final

from mazurka.trace.columns import Parts
from mazurka.trace.event import Op
from mazurka.trace.formats.line_reading import Malformed, Told, read_lines
from mazurka.trace.formats.line_writing import Losses, Piece, write_lines
from mazurka.trace.formats.source import Source
from mazurka.trace.formats.words import KINDS

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
_VALUED: Final = frozenset({Op.READ, Op.WRITE})
_CONTROL: Final = re.compile(r"[\0-\x08\x0e-\x1f\x7f]")


def read(source: Source) -> Parts:
    return read_lines(source, lambda line: (_event(line),))


def _event(line: str) -> Told:
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
    return Told(thread, op, (KINDS[op], name), "", value if op in _VALUED else None)


def write(parts: Parts, out: BinaryIO) -> list[str]:
    losses = Losses()
    pieces = (
        Piece("op", lambda op: _WORD_OF.get(op, "") + " "),
        Piece("thread", lambda name: losses.escaped(name) + " "),
        Piece("target", lambda target: losses.escaped(target[1]) + " "),
        Piece("value", lambda value: losses.escaped(value) + "\n", missing="0\n"),
    )
    write_lines(parts, out, "focs", pieces, {op: KINDS[op] for op in _WORD_OF}, losses)
    return losses.told("locations")
