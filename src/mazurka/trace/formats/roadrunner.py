"""The logs of RoadRunner's print tools: lines such as ``@  ARd(2,null.test/Deadlock.value_I)  Final
Deadlock.java:50:7``.

Events are lines that start with ``@``: an operation, its thread and its target. Accesses end with two words, the second
of which is the location (``?``: none); other events may. ``Enter`` and ``Exit`` are calls and returns, ``ARd`` and
``AWr`` are accesses of arrays, ``Start`` forks. Lines that do not start with ``@`` are the program's or RoadRunner's
own output, and those that say ``[tid = 1] started`` add nothing to the events.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import BinaryIO, Final

from mazurka.trace.columns import Parts
from mazurka.trace.event import Op
from mazurka.trace.formats.line_reading import Malformed, ParsedEvent, read_lines
from mazurka.trace.formats.line_writing import Losses, Piece, write_lines
from mazurka.trace.formats.source import TraceSource
from mazurka.trace.formats.words import KINDS
from mazurka.trace.locations import text_of

_OPS: Final = {
    "Acquire": Op.ACQUIRE,
    "Release": Op.RELEASE,
    "Rd": Op.READ,
    "Wr": Op.WRITE,
    "ARd": Op.READ,
    "AWr": Op.WRITE,
    "Start": Op.FORK,
    "Join": Op.JOIN,
    "Enter": Op.CALL,
    "Exit": Op.RETURN,
}
_WORD_OF: Final = {op: word for word, op in reversed(_OPS.items())}
_ACCESSES: Final = frozenset({Op.READ, Op.WRITE})
_EVENT: Final = re.compile(r"@\s+(\w+)\(([^,\s]+),([^,\s]+)\)((?:\s+\S+)*)\s*")
_STARTED: Final = re.compile(r"@\s.*\[tid = \d+\] started.*")
_CONTROL: Final = re.compile(r"[\0-\x08\x0e-\x1f\x7f]")


def read(source: TraceSource) -> Parts:
    return read_lines(source, _events)


def _events(line: str) -> Iterable[ParsedEvent]:
    if not line.startswith("@") or _STARTED.fullmatch(line):
        return
    if control := _CONTROL.search(line):
        raise Malformed(control.start() + 1, f"a control character, {control.group()!r}")
    found = _EVENT.fullmatch(line)
    if found is None:
        raise Malformed(1, "no @ Operation(thread,target)")
    word, thread, operand, rest = found.groups()
    op = _OPS.get(word)
    if op is None:
        raise Malformed(found.start(1) + 1, f"no operation is called {word}")
    words = rest.split()
    if op in _ACCESSES and len(words) != 2:
        raise Malformed(found.start(4) + 1, "an access that does not end with its kind and location")
    yield ParsedEvent(thread, op, (KINDS[op], operand), _location(words))


def _location(words: list[str]) -> str:
    return words[1] if len(words) == 2 and words[0] != "from" and words[1] != "?" else ""


def write(parts: Parts, out: BinaryIO) -> list[str]:
    losses = Losses()
    pieces = (
        Piece("op", lambda op: f"@  {_WORD_OF.get(op, '')}("),
        Piece("thread", lambda name: losses.escaped(name, without=",") + ","),
        Piece("target", lambda target: losses.escaped(target[1], without=",") + ")  "),
        Piece("site", lambda location: f"Normal  {losses.escaped(text_of(location))}\n", "Normal  ?\n"),
    )
    write_lines(parts, out, "roadrunner", pieces, {op: KINDS[op] for op in _WORD_OF}, losses)
    return losses.listed("values")
