"""Executions in which several steps of a thread are one event, as if no other thread could move in between.

:mod:`~mazurka.explore.sections` makes critical sections single events, :mod:`~mazurka.explore.semaphores` makes
operations of semaphores parts of the events beside them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from mazurka.program.protocol import Access
from mazurka.program.runtime.lazy_run import Entry, LazyRun
from mazurka.trace.event import Op
from mazurka.trace.ids import SiteNumber
from mazurka.trace.targets import Kind, Target, is_only_content, of_kinds

_is_semaphore: Final = of_kinds(Kind.SEMAPHORE)
#: The end of targets that stand for the number of unfinished tasks.
_TASKS: Final = "tasks"
_CONTENT_OPS: Final = (Op.READ, Op.WRITE, Op.RMW)

#: The site of all events of several steps: what one that reads accesses afterwards may depend on the value, at each of
#: them.
_SITE: Final = SiteNumber(-1)


class MergedRun(LazyRun):
    """An execution in which several steps may be one event.

    ``starts`` has, for each event, the number of its first point. ``spans``, after sections have become events, has for
    each step those that it stands for, as a half-open interval, of which other threads may have made some. ``changes``
    and ``initially`` are there after operations of semaphores have become parts of events: by event, how it changes the
    number of permits, and that number at the beginning."""

    __slots__ = ("changes", "initially", "spans", "starts")

    starts: list[int]
    spans: Sequence[tuple[int, int]]
    changes: Mapping[int, Mapping[Target, int]]
    initially: Mapping[Target, int]


def accesses_of(entry: Entry) -> Iterable[tuple[Op, Target]]:
    """All accesses of a step, its own first."""
    if entry[6]:
        return ((entry[1], entry[2]), *[(each.op, each.target) for each in entry[6]])
    return ((entry[1], entry[2]),)


def is_of_content(entry: Entry) -> bool:
    """Whether a step only reads and writes values of the program, and so never waits."""
    return all(op in _CONTENT_OPS and is_only_content(each) for op, each in accesses_of(entry))


def event_of(
    task: int,
    points: int,
    accesses: Iterable[tuple[Op, Target]],
    permits: Target | None = None,
    site: int | None = None,
) -> Entry:
    """An event that passes so many points; one with ``permits`` takes one of these first. ``site`` is that of an event
    of one step."""
    more = tuple([Access(op, target) for op, target in accesses])
    passed = (Kind.NOTHING.tag, points)
    if permits is None:
        return task, Op.NOP, passed, _SITE if site is None else site, True, None, more
    return task, Op.ACQUIRE, permits, _SITE, True, None, (Access(Op.NOP, passed), *more)


def is_event(entry: Entry) -> bool:
    """Whether a step is one that :func:`event_of` has made, without permits."""
    return entry[1] is Op.NOP and len(entry[2]) > 1


def points_of(accesses: Iterable[tuple[Op, Target]]) -> int:
    """How many points an event with these accesses passes."""
    return next((target[1] for op, target in accesses if op is Op.NOP and len(target) > 1), 1)


def permits_of(counted: Target) -> Target:
    """The target that stands for the permits of a semaphore, or the unfinished tasks of a queue, whose number nobody
    looks at."""
    return (Kind.PERMITS.tag, *counted[1:], *([] if _is_semaphore(counted) else [_TASKS]))


def is_of_tasks(permits: Target) -> bool:
    """Whether such a target stands for unfinished tasks, of which there must be none, in place of a permit."""
    return bool(permits[-1] == _TASKS)
