"""What executions had of a property: which of its events happened, and how much of its pattern in a row.

Plain data, which searches add up; :mod:`mazurka.properties.measuring` measures it, and says what it means.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple


class Next(NamedTuple):
    """An event that came where the pattern has another one: its name with its thread attribute, and its site."""

    event: str
    site: int


class Reached(NamedTuple):
    """What executions had of a property. ``longest`` is the longest beginning of a word of the pattern that happened in
    a row, and ``then`` came after it (None: nothing, or the pattern was matched). ``fits`` are the thread attributes
    whose own events were in a row in some execution, ``broken`` those that only were with others of the same thread
    in between, with one of these."""

    events: frozenset[str] = frozenset()
    longest: tuple[str, ...] = ()
    then: Next | None = None
    fits: frozenset[str] = frozenset()
    broken: tuple[tuple[str, Next], ...] = ()

    def joined(self, other: Reached) -> Reached:
        """What executions had of which these are the parts."""
        further = max(self, other, key=lambda each: len(each.longest))
        broken = {**dict(other.broken), **dict(self.broken)}
        fits = self.fits | other.fits
        return Reached(
            self.events | other.events,
            further.longest,
            further.then,
            fits,
            tuple([each for each in sorted(broken.items()) if each[0] not in fits]),
        )


#: By name of a property.
AllReached = Mapping[str, Reached]


def all_joined(one: AllReached, other: AllReached) -> dict[str, Reached]:
    """What executions had of all properties."""
    return {name: one.get(name, Reached()).joined(other.get(name, Reached())) for name in (*one, *other)}


def as_data(reached: Reached) -> list[Any]:
    """For JSON."""
    return [sorted(reached.events), reached.longest, reached.then, sorted(reached.fits), reached.broken]


def from_data(data: list[Any]) -> Reached:
    """The inverse of :func:`as_data`."""
    events, longest, then, fits, broken = data
    return Reached(
        frozenset(events),
        tuple(longest),
        Next(*then) if then else None,
        frozenset(fits),
        tuple([(name, Next(*each)) for name, each in broken]),
    )
