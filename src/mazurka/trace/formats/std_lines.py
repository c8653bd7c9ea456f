"""The event of a line of STD: ``thread|operation(operand)|location``.

Strict: three fields, an operation that is known (:mod:`mazurka.trace.formats.words`), names without white space or
control characters. Cost: a microsecond a line.
"""

from __future__ import annotations

import re
from typing import Final

from mazurka.trace.formats.line_reading import Malformed, ParsedEvent
from mazurka.trace.formats.words import WORDS, target_of

_LINE: Final = re.compile(r"([^|\s\0-\x1f\x7f]+)\|([A-Za-z]+)(?:\(([^|\s\0-\x1f\x7f]*)\))?\|([^|\0-\x1f\x7f]*)")
_CONTROL: Final = re.compile(r"[\0-\x1f\x7f]")


def event_of_line(line: str) -> ParsedEvent:
    """The event of a line without its end."""
    found = _LINE.fullmatch(line)
    if found is None:
        raise _objection(line)
    thread, word, operand, location = found.groups()
    op = WORDS.get(word)
    if op is None:
        raise Malformed(len(thread) + 2, f"no operation is called {word}")
    target = target_of(op, thread, operand or "")
    if target is None:
        raise Malformed(found.end(2) + 1, f"{word} needs a target")
    return ParsedEvent(thread, op, target, location)


def _objection(line: str) -> Malformed:
    """The error about a line that is malformed."""
    if control := _CONTROL.search(line):
        return Malformed(control.start() + 1, f"a control character, {control.group()!r}")
    fields = line.split("|")
    if not line:
        return Malformed(1, "an empty line")
    if len(fields) != 3:
        return Malformed(len(line) + 1, f"{len(fields)} fields instead of thread|operation|location")
    thread, event, _ = fields
    if thread[:1].isspace() and thread.strip():
        return Malformed(1, "white space before the thread name: the line is indented")
    if not thread or re.search(r"\s", thread):
        return Malformed(1, "no thread name")
    word, bracket, operand = event.partition("(")
    column = len(thread) + 2
    if not re.fullmatch("[A-Za-z]+", word):
        return Malformed(column, "no operation")
    if bracket and not operand.endswith(")"):
        return Malformed(column + len(event), "a bracket is not closed")
    space = re.search(r"\s", event)
    return Malformed(column + (space.start() if space else len(event)), "white space in a name")
