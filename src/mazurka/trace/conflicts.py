"""Conflicts and data races: which locations are data, which two accesses are adjacent in a run.

Two operations *conflict* if they can't be swapped. Code that compares operations asks a :class:`Conflicts`: the sampler
``pos``, the race predictor of `check`, and the races that a run shows. :data:`READ_WRITE`, the default, is that of
shared memory: operations on one target conflict if one of them writes. A loop takes the row of the table for its
operation before it begins, so the default costs no more than a comparison of two truth values. The orders of
``mazurka.order`` and the reversals of ``dpor`` are compiled for, or indexed by, :data:`READ_WRITE`, which is made of
the tables ``READS`` and ``WRITES`` of :mod:`mazurka.trace.event`.

Definition (dissertation ch. 3.1.3; patent, race constraints). Two accesses of one place by two threads, at least one of
which writes, race if both threads can stand right before theirs at once. A run shows a race where one thread stands
before its access while the other makes a conflicting one, and the first thread is the very next choice and makes its
own: between the two accesses only the first thread takes steps.

The table of kinds (:mod:`mazurka.trace.targets`) says which locations are data: attributes, items, globals, captured
variables, and the variables of traces from elsewhere. No data are locks and all other targets that order threads,
``mazurka.atomic``, and how a container is organised (its length, its order), which CPython keeps consistent by itself.
One operation of a dictionary or list is indivisible there, but two threads that use the same item of it without an
order still race for that item.

Cost: :func:`shown` is one pass over a log.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final, NamedTuple, Protocol

from mazurka.trace.event import WRITES, Op
from mazurka.trace.ids import SiteNumber, StepIndex
from mazurka.trace.invocations import Invocation
from mazurka.trace.targets import is_data

#: The kind of a finding.
RACE: Final = "race"

_TOUCHING: Final = frozenset({Op.READ, Op.WRITE, Op.RMW})

#: Source sites of two racing accesses, ascending.
Sites = tuple[SiteNumber, SiteNumber]


#: ``table[one][other]``, by operations: whether accesses of one target by them conflict. Symmetric.
OpTable = tuple[tuple[bool, ...], ...]


class Conflicts(Protocol):
    """Decides which operations and calls conflict. Operations on different targets, and calls of different objects,
    never do."""

    @property
    def accesses(self) -> OpTable:
        """Which operations on one target conflict."""
        ...

    def invocations(self, one: Invocation, other: Invocation) -> bool:
        """Whether two calls conflict; ``one`` returned before ``other`` in their execution."""
        ...


class ReadWrite:
    """Accesses conflict if one of them writes; calls of one object always do: nothing is known of its methods."""

    accesses: Final[OpTable] = tuple(tuple(WRITES[one] or WRITES[other] for other in Op) for one in Op)

    def invocations(self, one: Invocation, other: Invocation) -> bool:
        """See :class:`Conflicts`."""
        return one.receiver == other.receiver


READ_WRITE: Final = ReadWrite()


class Shown(NamedTuple):
    """A race that a run shows: the steps of the two accesses, which are adjacent, their operations, and the place."""

    first: StepIndex
    second: StepIndex
    ops: tuple[Op, Op]
    target: Any


def may_race(target: Any) -> bool:
    """Whether a target is data, and a known location rather than any of several."""
    return is_data(target) and not (isinstance(target, tuple) and len(target) > 2 and any(map(_is_vague, target[2:])))


def _is_vague(key: Any) -> bool:
    """Whether a container's key stands for all keys with an equality of their own."""
    return isinstance(key, tuple) and (key == ("object", 0) or any(map(_is_vague, key)))


def touches(op: Op) -> bool:
    """Whether an operation is a plain access."""
    return op in _TOUCHING


def sites_of(one: SiteNumber, other: SiteNumber) -> Sites:
    """A pair of places in the source, ascending."""
    return (one, other) if one <= other else (other, one)


def shown(log: Sequence[Any], conflicts: Conflicts = READ_WRITE) -> Iterator[Shown]:
    """The races that a log of ``(task, op, target, site, point, value, more)`` shows."""
    last = -1  # the latest choice
    since: set[int] = set()  # threads that have taken steps since that choice
    begun: set[int] = set()  # threads that had begun before that choice
    for number, step in enumerate(log):
        if not step.point:
            since.add(step.task)
            continue
        if last >= 0 and log[last].task != step.task and step.task in begun and step.task not in since:
            meeting = conflict(log[last], step, conflicts)
            if meeting is not None:
                yield Shown(StepIndex(last), StepIndex(number), *meeting)
        begun |= since
        begun.add(step.task)
        since.clear()
        last = number


def shown_at(log: Sequence[Any], end: int) -> Shown | None:
    """The race whose second access is the last of the first ``end`` steps."""
    return next((each for each in shown(log) if each.second == end - 1), None)


def conflict(one: Any, other: Any, conflicts: Conflicts = READ_WRITE) -> tuple[tuple[Op, Op], Any] | None:
    """The target on which two steps of a log conflict, and the operation of each; None if they don't."""
    if not one.more and not other.more and one.target != other.target:
        return None
    theirs = dict(_accesses(one))
    for target, op in _accesses(other):
        if target in theirs and conflicts.accesses[op][theirs[target]]:
            return (theirs[target], op), target
    return None


def _accesses(step: Any) -> Iterator[tuple[Any, Op]]:
    for op, target in ((step.op, step.target), *[(access.op, access.target) for access in step.more]):
        if touches(op) and may_race(target):
            yield target, op
