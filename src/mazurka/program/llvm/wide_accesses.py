"""Accesses of several words by one operation, as ``memcpy`` and the copy of a structure; others may come between.

Such an access is one step, unless other threads may notice its parts: where it conflicts with another thread's access
while the two threads hold no common lock. Its site is then a mark among the learned points, and executions are made
again in which it is a step for each word. Source: without a race no execution distinguishes the parts (Adve and Hill,
Weak Ordering, ISCA 1990), and accesses under a common lock do not race.

Under TSO and PSO the parts are cells (layout.py) from the beginning, whose stores may each be late.

Cost: one pass over the log of an execution with wide accesses whose sites have no mark.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from itertools import combinations
from typing import Any, Final

from mazurka.trace.event import WRITES, Op
from mazurka.trace.targets import Kind, Target, kind_of

_WORD: Final = 8

#: Added to marks.
_PARTS: Final = 1 << 38


def mark_of_site(site: int) -> int:
    """The mark of a site whose accesses are made in parts."""
    return -1 - (site | _PARTS)


def words_of(at: int, size: int) -> list[int]:
    """The distances from the first byte of ``size`` bytes at an offset, at each of which another word begins."""
    return [0, *range(_WORD - at % _WORD, size, _WORD)]


def unprotected(log: Sequence[Any], wide: Collection[int]) -> set[int]:
    """The sites among the ``wide`` ones of which an access conflicts with another thread's without a common lock."""
    held: defaultdict[int, frozenset[Target]] = defaultdict(frozenset)
    accesses: defaultdict[Target, set[tuple[int, int, bool, frozenset[Target]]]] = defaultdict(set)
    touched = {access.target for step in log if step.site in wide for access in _accesses(step)}
    for step in log:
        for access in _accesses(step):
            if access.target in touched and kind_of(access.target) in (Kind.VARIABLE, Kind.ATOMIC):
                accesses[access.target].add((step.task, step.site, WRITES[access.op], held[step.task]))
            elif kind_of(access.target) is Kind.LOCK and access.op is Op.ACQUIRE:
                held[step.task] |= {access.target}
            elif kind_of(access.target) is Kind.LOCK and access.op is Op.RELEASE:
                held[step.task] -= {access.target}
    return {site for each in accesses.values() for site in _in_conflict(each) if site in wide}


def _accesses(step: Any) -> Iterable[Any]:
    return (step, *step.more)


def _in_conflict(accesses: Iterable[tuple[int, int, bool, frozenset[Target]]]) -> Iterable[int]:
    for (thread, site, writes, held), (other, place, changes, locks) in combinations(accesses, 2):
        if thread != other and (writes or changes) and not held & locks:
            yield site
            yield place
