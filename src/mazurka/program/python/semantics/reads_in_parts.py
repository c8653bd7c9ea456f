"""Operations that read several locations by code in Python that is not instrumented, at different times.

``repr(point)`` of a data class reads one field after the other, and ``str((counts, counts))`` of two counters calls a
method for each. Such an operation is one step here, so orders in which others write between its parts are not
explored. It is noted, and at the end of the run counts as untracked if writes of other threads may have come between
its parts: two writing steps of two of its locations, or one if it reads a location twice. Writes that are ordered with
it by starts, joins or a common lock can't come between its parts.

A location is an attribute, or the whole content of a container.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Collection, Iterable
from dataclasses import field
from typing import Any, Final

from mazurka.lazy_dataclass import dataclass
from mazurka.program.protocol import Access
from mazurka.program.python.semantics import untracked
from mazurka.program.python.semantics.per_run import per_run
from mazurka.program.runtime.concurrency import has_concurrent_threads
from mazurka.trace.targets import Kind, Target, kind_of, of_kinds

#: A container by its number, or an attribute by its target.
Place = int | Target


@dataclass(slots=True)
class Operation:
    """An operation that a thread, given by index, made in the step before a position in the log. ``written`` are those
    of its places that steps of other threads have written; ``known`` are the threads whose end its thread knew of."""

    index: int
    since: int
    places: frozenset[Place]
    repeats: bool
    count: Callable[[], None]
    known: Collection[int] = ()
    written: list[tuple[int, int, frozenset[Place]]] = field(
        default_factory=list
    )  # the thread, position in the log and places of each

    def is_torn(self) -> bool:
        """Whether writes of other threads may show between its parts."""
        found = [places for by, at, places in self.written if by not in self.known or at > self.since]
        return bool(found) and (self.repeats or (len(found) > 1 and len(frozenset().union(*found)) > 1))


noted: Final[list[Operation]] = per_run([])

#: At most so many operations of a run are noted; others count as untracked at once.
_MOST: Final = 200

_is_content: Final = of_kinds(Kind.ITEM, Kind.STRUCTURE, Kind.VALUES)


def places_of(targets: Iterable[Target]) -> frozenset[Place]:
    """The places of these locations; other locations, as the state of an object in C, have none."""
    found: set[Place] = set()
    for each in targets:
        if _is_content(each):
            found.add(abs(each[1]) if type(each[1]) is int else each)
        elif kind_of(each) is Kind.ATTRIBUTE:
            found.add(each)
    return frozenset(found)


def note(run: Any, reads: Iterable[Access], repeats: bool, site: int) -> None:
    """An operation has made its step with these reads; ``repeats``: it reads some locations more than once."""
    if run.is_recording or not has_concurrent_threads(run):
        return
    places = places_of(access.target for access in reads)
    if not places or (len(places) == 1 and not repeats):
        return
    count = functools.partial(
        untracked.count_untracked, run, "an operation in Python that reads several locations", site
    )
    if len(noted) >= _MOST:
        count()
    else:
        noted.append(Operation(run.current.index, len(run.log), places, repeats, count))
