"""Witnesses: an order of some of a trace's steps that any program with this trace can also take.

A claim ("this thread fails", "this deadlock is reachable") is believed because of such an order, not because of who
found it. :mod:`mazurka.witness.check` decides whether an order is one and leads to what is claimed, and knows nothing
of how orders are found.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from mazurka.trace.event import Op
from mazurka.trace.ids import StepIndex


@dataclass(frozen=True, slots=True)
class Fails:
    """The thread dies, or finds something wrong, right after its first ``steps`` steps."""

    thread: str
    steps: int


@dataclass(frozen=True, slots=True)
class StuckThread:
    """A thread stopped before an operation that ``holder`` blocks (None: unknown).

    ``repeats`` is there for a thread held in a loop whose passes change nothing: the targets that they read.
    """

    thread: str
    op: Op
    target: Any
    holder: str | None = None
    repeats: tuple[Any, ...] | None = None


@dataclass(frozen=True, slots=True)
class DeadlockState:
    """No living thread can go on: each waits. Those in ``circle`` wait for one another."""

    waiting: tuple[StuckThread, ...]
    circle: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class LivelockLasso:
    """Threads go round in loops: the last ``steps`` steps are as many before them over again, with the values that are
    told. Each living thread takes some of them, or it waits. (That no other order leads out of the loops is not said.)
    """

    steps: int
    waiting: tuple[StuckThread, ...]


@dataclass(frozen=True, slots=True)
class Races:
    """Each of these two steps is what its thread does next, and they conflict: both touch some place, one writes it."""

    first: StepIndex
    second: StepIndex


@dataclass(frozen=True, slots=True)
class Deadlocks:
    """Each of these steps is what its thread does next: taking a lock that the thread of the one after it holds, or
    joining that thread, which has yet to do something before that (the first comes after the last). Other threads may
    be anywhere."""

    steps: tuple[StepIndex, ...]


@dataclass(frozen=True, slots=True)
class CommunicationDeadlock:
    """The threads of these steps never go on. Each step is what its thread does next, taking a lock that one of these
    threads holds, or joining one of them; or it is a wait that has taken place, and no notification has come for it
    since. If one waits so, no other thread is left that could notify: all others have ended, or never start."""

    steps: tuple[StepIndex, ...]


@dataclass(frozen=True, slots=True)
class Ordered:
    """These steps take place, in this order: a use before its initialisation, for one."""

    steps: tuple[StepIndex, ...]


@dataclass(frozen=True, slots=True)
class AtomicityViolation:
    """``between`` takes place between ``first`` and ``last``, two consecutive accesses of a place by another thread,
    and no serial order explains the three: read-write-read, write-write-read, read-write-write or write-read-write."""

    first: StepIndex
    between: StepIndex
    last: StepIndex


@dataclass(frozen=True, slots=True)
class OrderViolation:
    """The order of these two is not that of the trace: a thread uses a place (``first``) before another one has written
    what is there first in the trace, which need not take place; or it does (``second``) after another one has freed the
    place or what it is part of."""

    first: StepIndex
    second: StepIndex


@dataclass(frozen=True, slots=True)
class AssumedObject:
    """An object that calls are made of: the type that specifies it, its name, and the states that it may have begun in,
    as texts of :mod:`mazurka.trace.literals`."""

    type_name: str
    name: str
    states: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class CallsReversed:
    """Two calls of an object come in the other order than in the trace: that which begins at step ``second`` has taken
    effect, and step ``first``, which begins a call that does so earlier in the trace, is what its thread does next.
    This makes a difference: in a result of the two, or in the object's state afterwards.

    ``objects`` are those whose calls count as single events (:mod:`mazurka.trace.call_events`). ``returns`` are the
    texts of the two results then, the first of them if the object began in the first of its states; None: it would
    have to wait.
    """

    first: StepIndex
    second: StepIndex
    objects: tuple[AssumedObject, ...] = ()
    returns: tuple[str | None, str | None] = (None, None)


Claim = (
    Fails
    | DeadlockState
    | LivelockLasso
    | Races
    | Deadlocks
    | CommunicationDeadlock
    | Ordered
    | AtomicityViolation
    | OrderViolation
    | CallsReversed
)


@dataclass(frozen=True, slots=True)
class Witness:
    """``order`` lists steps of the trace (numbers in its column ``step``). Before them its first ``prefix`` ones happen
    as they did.

    ``unread`` are steps whose own reads need not be kept. Nothing that happens in the order may depend on their
    values: they are the last of their threads in it or, if the trace records branches, no branch of their threads comes
    after them, and no read that is kept takes its value from a write after them. So are rows at which calls take effect
    that return something else than in the trace; after these their threads do nothing. ``claim`` is what the order
    leads to; None claims no more than the order.
    """

    order: tuple[StepIndex, ...]
    unread: frozenset[StepIndex] = frozenset()
    claim: Claim | None = None
    prefix: int = 0
