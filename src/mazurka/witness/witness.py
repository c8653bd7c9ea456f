"""Witnesses: an order of some of a trace's steps that any program with this trace can also take.

A claim ("this thread fails", "this deadlock is reachable") is accepted because of such an order, whichever engine found
it. :mod:`mazurka.witness.check` decides whether an order is a witness and the claim holds at its end; it shares no code
with the engines.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from mazurka.trace.event import Op
from mazurka.trace.ids import StepIndex
from mazurka.trace.patterns import Stated


@dataclass(frozen=True, slots=True)
class Fails:
    """The thread ends with an exception, or detects an error, right after its first ``steps`` steps."""

    thread: str
    steps: int


@dataclass(frozen=True, slots=True)
class StuckThread:
    """A thread stopped before an operation that ``holder`` blocks (None: unknown).

    For a thread that is held in a loop whose passes change nothing, ``repeats`` are the targets that they read.
    """

    thread: str
    op: Op
    target: Any
    holder: str | None = None
    repeats: tuple[Any, ...] | None = None


@dataclass(frozen=True, slots=True)
class DeadlockState:
    """No living thread can go on: each waits. Those in ``cycle`` wait for one another."""

    waiting: tuple[StuckThread, ...]
    cycle: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class LivelockLasso:
    """Threads loop for ever: the last ``steps`` steps repeat as many steps before them, with the same recorded values.
    Each living thread takes some of these steps, or it waits. (The claim does not say that no other order leaves the
    loops.)"""

    steps: int
    waiting: tuple[StuckThread, ...]


@dataclass(frozen=True, slots=True)
class Races:
    """Each of these two steps is the next step of its thread, and they conflict: both access one location, and one
    writes it."""

    first: StepIndex
    second: StepIndex


@dataclass(frozen=True, slots=True)
class Deadlocks:
    """Each of these steps is the next step of its thread: it acquires a lock that the thread of the following step
    holds, or joins that thread, which has events left (the first step follows the last). Other threads may be
    anywhere."""

    steps: tuple[StepIndex, ...]


@dataclass(frozen=True, slots=True)
class CommunicationDeadlock:
    """The threads of these steps never go on. Each step is the next step of its thread, and acquires a lock that one of
    these threads holds, or joins one of them; or it is a wait that has taken place, and no notification has come for it
    since. In the latter case no other thread is left that could notify: all others have ended, or never start."""

    steps: tuple[StepIndex, ...]


@dataclass(frozen=True, slots=True)
class Ordered:
    """These steps take place, in this order."""

    steps: tuple[StepIndex, ...]


@dataclass(frozen=True, slots=True)
class AtomicityViolation:
    """``between`` takes place between ``first`` and ``last``, two consecutive accesses of a location by another thread,
    and no serial order explains the three: read-write-read, write-write-read, read-write-write or write-read-write."""

    first: StepIndex
    between: StepIndex
    last: StepIndex


@dataclass(frozen=True, slots=True)
class OrderViolation:
    """Two steps in the opposite order of the trace. Either a thread uses a location (``first``) before another one has
    initialised it (``second``), which need not take place; or a thread uses a location (``second``) after another one
    has freed it, or the object that it is part of (``first``)."""

    first: StepIndex
    second: StepIndex


@dataclass(frozen=True, slots=True)
class AssumedObject:
    """An object with calls: the type that specifies it, its name, and its possible initial states, as texts of
    :mod:`mazurka.trace.literals`."""

    type_name: str
    name: str
    states: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class CallsReversed:
    """Two calls of an object come in the opposite order of the trace: the call that begins at step ``second`` has taken
    effect, and step ``first``, which begins the call that takes effect earlier in the trace, is the next step of its
    thread. A result of the two, or the object's state afterwards, differs from that in the order of the trace.

    ``objects`` are the objects whose calls count as single events (:mod:`mazurka.trace.call_events`). ``returns`` are
    the texts of the two results, if the object began in the first of its states; None: the call would have to wait.
    """

    first: StepIndex
    second: StepIndex
    objects: tuple[AssumedObject, ...] = ()
    returns: tuple[str | None, str | None] = (None, None)


@dataclass(frozen=True, slots=True)
class PropertyViolation:
    """The order violates a property (:mod:`mazurka.trace.patterns`) under a binding: these property events, named by
    their rows with the operation POINT, make up a word of its pattern; for a protocol, they are the word from its
    beginning. With ``at_once`` the last two do not take place, but are the next of their threads.

    ``objects`` has the object of each parameter, ``threads`` the thread of each attribute (None: no thread),
    ``regions`` for each region the rows with POINT that begin and end its instance (-1: it does not end; None: no
    instance)."""

    property: Stated
    steps: tuple[StepIndex, ...]
    objects: tuple[tuple[str, str], ...]
    threads: tuple[tuple[str, str | None], ...] = ()
    regions: tuple[tuple[str, tuple[int, int] | None], ...] = ()
    at_once: bool = False


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
    | PropertyViolation
)


@dataclass(frozen=True, slots=True)
class Witness:
    """``order`` lists steps of the trace (numbers in its column ``step``). Before these the first ``prefix`` steps of
    the trace happen in their order.

    ``unread`` are steps whose own reads may have other values. No event in the order may depend on these values: the
    steps are the last of their threads in it or, if the trace records branches, no branch of their threads comes after
    them, and no read that is kept takes its value from a write after them. Rows at which calls take effect with other
    results than in the trace are among them, too; after these their threads have no events. ``claim`` holds at the end
    of the order; None claims no more than the order.
    """

    order: tuple[StepIndex, ...]
    unread: frozenset[StepIndex] = frozenset()
    claim: Claim | None = None
    prefix: int = 0
