"""Aliasing: which objects are known to be different, since one run showed them under two numbers.

Objects are numbered per run, and only the histories of their threads identify objects of two runs. Two of our objects
that no run has shown together may be one object. That matters if one thread writes a part that another touches. Sets of
objects are numbers with a bit for each.
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
    """The knowledge about aliases of objects; see the module."""

    def __init__(self) -> None:
        self.parts: dict[int, dict[Any, bool]] = {}  # object -> its touched parts, and whether they are written
        self.met: dict[int, int] = {}  # object -> the objects that a run showed with it, as bits

    def touch(self, thing: int, part: Any, writes: bool) -> None:
        """Note an access of a part of an object."""
        parts = self.parts.setdefault(thing, {})
        parts[part] = parts.get(part, False) or writes

    def meet(self, things: int) -> None:
        """Note that one run has shown all these objects."""
        for thing in members(things):
            self.met[thing] = self.met.get(thing, 0) | things

    def strangers(self, things: int) -> bool:
        """Whether two of these are not known to be different, and it would matter."""
        return any(
            self._clash(thing, other)
            for thing in members(things)
            for other in members(things & ~self.met.get(thing, 0))
            if other != thing
        )

    def _clash(self, one: int, other: int) -> bool:
        mine, theirs = self.parts.get(one, {}), self.parts.get(other, {})
        return any(part in theirs and (written or theirs[part]) for part, written in mine.items())
