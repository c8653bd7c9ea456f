"""Which objects are known to be different: those that one run showed under two numbers.

Objects are numbered per run, and objects of two runs can only be distinguished by the histories of their threads. Two
of our objects that no run has shown together may be one. That matters where one thread writes what another touches.
Sets of objects are numbers with a bit for each.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any


def bits(numbers: Sequence[int]) -> int:
    """A set of small numbers as one number."""
    found = 0
    for number in numbers:
        found |= 1 << number
    return found


def members(things: int) -> Iterator[int]:
    """The members of such a set, ascending."""
    while things:
        lowest = things & -things
        yield lowest.bit_length() - 1
        things ^= lowest


class Aliasing:
    """The aliasing knowledge about objects; see the module."""

    def __init__(self) -> None:
        self.parts: dict[int, dict[Any, bool]] = {}  # object -> what of it is touched, and whether it is written
        self.met: dict[int, int] = {}  # object -> those that a run showed with it, as bits

    def touch(self, thing: int, part: Any, writes: bool) -> None:
        """Note an access of a part of an object."""
        parts = self.parts.setdefault(thing, {})
        parts[part] = parts.get(part, False) or writes

    def meet(self, things: int) -> None:
        """One run has shown all these."""
        for thing in members(things):
            self.met[thing] = self.met.get(thing, 0) | things

    def strangers(self, things: int) -> bool:
        """Whether two of these may be one object for all that is known, and it would matter."""
        return any(
            self._clash(thing, other)
            for thing in members(things)
            for other in members(things & ~self.met.get(thing, 0))
            if other != thing
        )

    def _clash(self, one: int, other: int) -> bool:
        mine, theirs = self.parts.get(one, {}), self.parts.get(other, {})
        return any(part in theirs and (written or theirs[part]) for part, written in mine.items())
