"""Marks of a search for calls of marked objects, kept among the known points and so with searches and schedules.

That calls are single steps at all is a mark that the search sets (``CALLS_AS_STEPS``). A type whose calls turned out to
be no single steps has a mark for each reason: from then on its calls are explored as ordinary code. A location that
calls touch and that is no part of their object (a global variable, a lock of the module) has a mark, too, by which a
later run that touches it elsewhere is recognised.
"""

from __future__ import annotations

import types
from collections.abc import Iterable
from enum import Enum
from typing import Any, Final
from zlib import crc32

from mazurka.trace.targets import OBJECTS, Target

#: Bits that no other marks have set.
_ORDINARY: Final = 1 << 38
_INSIDE: Final = 1 << 39


class ObstacleReason(Enum):
    """Why calls of a type are explored as ordinary code; ``words`` complete "calls of X are ordinary code: "."""

    NO_STATE = 0, "no `state=` gives the state of an object"
    NO_MODEL = 1, "no specification of the library describes the method"
    WAITS = 2, "a call may wait, sleep or start a thread"
    VALUES = 3, "arguments, results or states are no plain values"
    DIFFERS = 4, "a call does not conform to the specification"
    SHARED = 5, "objects share state with other code"

    number: int
    words: str

    def __new__(cls, number: int, words: str) -> ObstacleReason:
        member = object.__new__(cls)
        member._value_ = member.number = number
        member.words = words
        return member


def ordinary(name: str, reason: ObstacleReason) -> int:
    """The mark of a type, by its full name, whose calls are no single steps."""
    return -1 - (_ORDINARY | crc32(name.encode("utf-8", "surrogatepass")) << 3 | reason.number)


def are_any_inside(points: Iterable[int]) -> bool:
    """Whether calls have touched locations that are no part of their objects."""
    return any(point < 0 and -1 - point & _INSIDE for point in points)


def inside(target: Target, things: dict[int, Any], writes: bool) -> int:
    """The mark of a target that calls touch, and that is no part of their object; ``things`` are objects by number."""
    name = repr([_stable(part, things) for part in target])
    return -1 - (_INSIDE | crc32(name.encode("utf-8", "surrogatepass")) << 1 | writes)


def _stable(part: Any, things: dict[int, Any]) -> Any:
    """A component of a target without the number that an object has in this run only."""
    if type(part) is not int or abs(part) < OBJECTS:
        return part
    thing = things.get(abs(part))
    return f"{thing.__module__}.{thing.__qualname__}" if isinstance(thing, type | types.FunctionType) else "an object"
