"""Appends of one number or text by several threads to a list, between which no step looks at the list.

``seen.append(True)`` by two threads leads to the same list in either order, returns None, and runs no code of the
program. As long as all steps that access the list are ordered with these appends by starts and joins of threads, the
appends commute with every other step: so they are no steps at all.

If a thread appends another value, if a step accesses the list that is not ordered with an append, or if code that is
not instrumented has the list, :data:`APPEND_POINTS` is learnt, and in all later runs each append is a step. Up to the
first append or access of that kind an execution does not depend on the order of the appends before, so it is explored
with these in some order; so that one is found.

This is so only in the search without the orders in which threads look at the clock (:mod:`mazurka.workflows.clocks`),
made where orders are too many: elsewhere explanations show appends.

Cost: a look-up for each append to a list; at the end of a run one pass over its log, if there was any.
"""

from __future__ import annotations

from collections.abc import Container, Sequence
from dataclasses import field
from typing import Any, Final

from mazurka.lazy_dataclass import dataclass
from mazurka.program.protocol import Access
from mazurka.program.python.semantics import locations, objects, weak_registries, without_gil
from mazurka.program.python.semantics.per_run import per_run
from mazurka.program.python.semantics.steps_in_order import is_unordered, steps_in_order
from mazurka.program.runtime.runtime import Runtime
from mazurka.program.runtime.task import APPEND_POINTS, CLOCKS_APART


@dataclass(slots=True)
class _Appends:
    """The value that threads have appended to a list, these threads, by index, and the sites."""

    element: Any
    threads: set[int] = field(default_factory=set)
    sites: set[int] = field(default_factory=set)


#: Number of a list -> the appends to it that were no steps.
_appended: Final[dict[int, _Appends]] = per_run({})


def is_no_step(run: Any, thing: Any, given: tuple[Any, ...], site: int) -> bool:
    """Whether an append to a list is no step; if so, this is noted."""
    if type(run) is not Runtime:  # a recording, for instance
        return False
    points = run.points
    if CLOCKS_APART not in points or APPEND_POINTS in points or type(thing) is not list or len(given) != 1:
        return False
    if type(given[0]) not in objects.SCALARS:
        return False
    if not weak_registries.is_program_alone() or not without_gil.has_lock():
        return False
    if id(thing) in locations.beside_state or locations.is_gone_by(thing):
        return False
    appends = _appended.setdefault(objects.number(thing), _Appends(given[0]))
    if appends.element is not given[0]:
        _learn(run, appends, site)
        return False
    appends.threads.add(run.current.index)
    appends.sites.add(site)
    run.current.silent += 1
    return True


def look_at_end(run: Any, elsewhere: Container[Any]) -> None:
    """A run has ended: from now on appends are steps that were not ordered with all other accesses to their list.
    ``elsewhere`` are the numbers of objects that code has, or looks at, which is not instrumented."""
    if not _appended:
        return
    for number, appends in _appended.items():
        if number in elsewhere:
            _learn(run, appends)
    for step in steps_in_order(run, _accesses_to_lists(run.log)):
        _index, op, target, _site, _point, _value, more = step.entry
        for _, where, _ in (Access(op, target), *more):
            found = _appended.get(abs(where[1])) if len(where) > 1 and type(where[1]) is int else None
            if found is not None and any(is_unordered(run, each, step) for each in found.threads):
                _learn(run, found)


def _learn(run: Any, appends: _Appends, *further: int) -> None:
    run.sharing.learn((APPEND_POINTS, *appends.sites, *further))


def _accesses_to_lists(log: Sequence[Any]) -> frozenset[int]:
    """The positions of steps that access one of the lists."""
    keys = {*_appended, *[-each for each in _appended]}
    return frozenset(
        position
        for position, (_index, _op, target, _site, _point, _value, more) in enumerate(log)
        if (len(target) > 1 and target[1] in keys)
        or (more and any(len(each.target) > 1 and each.target[1] in keys for each in more))
    )
