"""STD, the text format of RAPID: one event a line, ``thread|operation(operand)|location``.

Read as RAPID does (``parse/std`` there), but strictly: three fields, an operation that is known
(:mod:`mazurka.trace.formats.words`), names without white space or control characters. Lines may end with a carriage
return, the last one without a line feed; empty lines are malformed. Locations are RAPID's numbers or ``file.c:12``.

Cost: 1.5 microseconds a line.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from mazurka.trace.columns import Columns, Parts
from mazurka.trace.event import Op
from mazurka.trace.formats.gathering import Gathering
from mazurka.trace.formats.source import Source
from mazurka.trace.formats.words import WORDS, target_of

_LINE: Final = re.compile(r"([^|\s\0-\x1f\x7f]+)\|([A-Za-z]+)(?:\(([^|\s\0-\x1f\x7f]*)\))?\|([^|\0-\x1f\x7f]*)")
_CONTROL: Final = re.compile(r"[\0-\x1f\x7f]")


class Malformed(Exception):
    """What is wrong with a line, and in which column (from 1)."""

    def __init__(self, column: int, what: str) -> None:
        super().__init__(column, what)
        self.column = column
        self.what = what


def event_of_line(line: str) -> tuple[str, Op, tuple[str, str], str]:
    """Thread, operation, target and location."""
    found = _LINE.fullmatch(line)
    if found is None:
        raise _objection(line)
    thread, word, operand, location = found.groups()
    op = WORDS.get(word)
    if op is None:
        raise Malformed(len(thread) + 2, f"no operation is called {word}")
    target = target_of(op, thread, operand or "")
    if target is None:
        raise Malformed(found.end(2) + 1, f"{word} of what?")
    return thread, op, target, location


def read(source: Source) -> Parts:
    gathering = Gathering()
    return Parts(gathering.names, _rows(source, gathering))


def _rows(source: Source, gathering: Gathering) -> Iterator[Columns]:
    for number, line in source.lines():
        try:
            gathering.event(*event_of_line(line))
        except Malformed as error:
            raise source.malformed(number, error.column, error.what) from None
        if gathering.is_full:
            yield gathering.taken()
    yield gathering.taken()


def _objection(line: str) -> Malformed:
    """Why a line is none, for people; only ever asked when it is none."""
    if control := _CONTROL.search(line):
        return Malformed(control.start() + 1, f"a control character, {control.group()!r}")
    fields = line.split("|")
    if not line:
        return Malformed(1, "an empty line")
    if len(fields) != 3:
        return Malformed(len(line) + 1, f"{len(fields)} fields instead of thread|operation|location")
    thread, event, _ = fields
    if not thread or re.search(r"\s", thread):
        return Malformed(1, "no name of a thread")
    word, bracket, operand = event.partition("(")
    column = len(thread) + 2
    if not re.fullmatch("[A-Za-z]+", word):
        return Malformed(column, "no operation")
    if bracket and not operand.endswith(")"):
        return Malformed(column + len(event), "a bracket is not closed")
    return Malformed(column + len(word) + 1, "white space in a name")
