"""Steps on locations that are no objects of the program: state outside the Python heap, names of threads.

Each part of that state is a location: ``("process", "cwd")``, ``("entry", "/tmp/x")``, ... A step on one has no place
in the source, but a number that stands for its locations (for objects, for their words): by this number the runtime
learns whether several threads touch one of the locations, and only then may other threads go first
(:mod:`mazurka.program.runtime.sharing`).

Cost: nothing while there is one thread; a microsecond for a step.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final, NamedTuple
from zlib import crc32

from mazurka.program.protocol import Access
from mazurka.program.python.primitives.run import Models
from mazurka.trace.event import Op
from mazurka.trace.targets import Target, Trait, kind_of

#: Larger than any site's number, and smaller than those of places that are no sites.
_BASE: Final = 1 << 59


class StepAccess(NamedTuple):
    """One access of a step; ``words`` are the location's name in reports."""

    op: Op
    target: Target
    words: str


@lru_cache(maxsize=4096)
def _number_of(*touches: StepAccess) -> int:
    """The number of a step with these accesses: the same in all runs, though objects are numbered per run."""
    names = [each.words if _is_of_object(each.target) else each.target for each in touches]
    return _BASE | crc32(repr(names).encode("utf-8", "surrogatepass"))


def _is_of_object(target: Target) -> bool:
    return kind_of(target).has(Trait.PART | Trait.WHOLE)


def pass_step(models: Models, first: StepAccess, *others: StepAccess) -> None:
    """Pass one step that makes these accesses; on return the caller performs it."""
    runtime = models.runtime
    if runtime.solo:
        return
    if runtime.detail:
        for each in (first, *others):
            runtime.names.setdefault(each.target, each.words)
    more = tuple([Access(each.op, each.target) for each in others])
    site = _number_of(first, *others)
    runtime.visit(first.op, first.target, site, None, more)


def is_point(models: Models, *accesses: StepAccess) -> bool:
    """Whether other threads may go before a step with these accesses, as they change a location of it."""
    return _number_of(*accesses) in models.runtime.points


def note_touches(models: Models, *touches: StepAccess) -> None:
    """Accesses of a step that is a point in any case: steps of other threads on their locations may have to become
    points."""
    runtime = models.runtime
    for each in touches:
        runtime.sharing.touch(runtime.current.index, each.op, each.target, _number_of(each), True)


def read(target: Target, words: str) -> StepAccess:
    """A read of a location, with its name in reports."""
    return StepAccess(Op.READ, target, words)


def write(target: Target, words: str) -> StepAccess:
    """A write of a location, with its name in reports."""
    return StepAccess(Op.WRITE, target, words)


def change(target: Target, words: str) -> StepAccess:
    """A read and a write of a location in one step, with its name in reports."""
    return StepAccess(Op.RMW, target, words)
