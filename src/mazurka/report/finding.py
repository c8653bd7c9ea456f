"""A finding as data, the input of every renderer: an execution has failed, or a trace proves that another order would.

An :class:`Explanation` is the failing order itself, reduced to the steps that matter: rows from top to bottom in the
order in which they happened, each in the column of its thread. No step is reordered or invented; a :class:`Fold` counts
the steps left out. Locations are as the program has them; renderers shorten them.
"""

from __future__ import annotations

from enum import Enum

from mazurka.lazy_dataclass import dataclass
from mazurka.program.protocol import Failure, Frame
from mazurka.replay.switches import Cost
from mazurka.report.details import Details, Orders
from mazurka.trace.event import Location


class BugShape(Enum):
    """A known shape of concurrency bugs. Only claimed when the run shows it."""

    LOST_UPDATE = "lost update"
    CHECK_THEN_ACT = "check-then-act"
    ORDER_VIOLATION = "order violation"
    UNSAFE_PUBLICATION = "unsafe publication"
    TORN_UPDATE = "torn update"
    ATOMICITY = "atomicity violation"
    ITERATION = "iteration invalidated"
    IN_USE = "generator in use"
    LOCK_ORDER = "lock-order deadlock"
    SELF_DEADLOCK = "self-deadlock"
    DEADLOCK = "deadlock"
    LOCK_KEPT = "lock never released"
    LOST_WAKE_UP = "lost wake-up"
    DELAYED_STORE = "delayed store"
    DATA_RACE = "data race"
    TIMEOUT = "timeout"


@dataclass(frozen=True, slots=True)
class Column:
    """A thread that matters: its stable name and its name for people."""

    thread: str
    label: str


@dataclass(frozen=True, slots=True)
class Row:
    """A thread's steps at one location, without another kept step in between.

    ``step`` is the number, from 1, of the first of its steps; ``what`` describes each step; ``note`` is the reason why
    the scheduler let this thread go on here; ``caller`` is the user's line that led into a library.
    """

    step: int
    thread: str
    what: tuple[str, ...]
    location: Location | None
    text: str = ""
    caller: Frame | None = None
    note: str = ""
    failing: bool = False


@dataclass(frozen=True, slots=True)
class Fold:
    """Steps left out, since the failure does not depend on their order: (column label, number of steps) for each
    thread."""

    steps: tuple[tuple[str, int], ...]

    @property
    def count(self) -> int:
        """The number of steps of all threads."""
        return sum(number for _, number in self.steps)


@dataclass(frozen=True, slots=True)
class Explanation:
    """The error of an execution. ``shape`` is None if it is none of the known ones; there is always a ``sentence``."""

    columns: tuple[Column, ...]
    rows: tuple[Row | Fold, ...]
    shape: BugShape | None
    sentence: str


@dataclass(frozen=True, slots=True)
class HeldLock:
    """A lock that a thread holds, with the event and the location of its acquire ("": unknown)."""

    name: str
    event: int
    place: str = ""


@dataclass(frozen=True, slots=True)
class FindingEvent:
    """A thread's step, or its next step.

    ``number`` is the number of an execution's step (from 1; a step not taken yet has the number after the last), or of
    an event in its trace file. ``place`` is the location as in the trace ("": see ``location``).
    """

    number: int
    thread: str
    operation: str  # "writes", "acquires"
    target: str
    location: Location | None
    place: str = ""
    value: str = ""
    held: tuple[HeldLock, ...] = ()  # by its thread, before it; given for the events of a finding


@dataclass(frozen=True, slots=True)
class WitnessTurn:
    """Consecutive events of one thread in an order: their count, and the number of the last one."""

    thread: str
    events: int
    last: int


@dataclass(frozen=True, slots=True)
class CheckedWitness:
    """The whole order of events that shows a finding, which the witness checker has accepted.

    After the first ``prefix`` events of the execution or trace the threads take these ``turns``. ``claim`` names
    the class of the claim about the end (:mod:`mazurka.witness.witness`), ``ending`` is the claim in words. ``unread``
    are events whose reads have other values than in the trace, on which no event in the order depends.

    The checker has no objections to the order, except ``contradictions`` among the recorded values, which untracked
    operations must have written.
    """

    claim: str
    turns: tuple[WitnessTurn, ...]
    prefix: int = 0
    unread: tuple[int, ...] = ()
    contradictions: tuple[str, ...] = ()
    ending: str = ""

    @property
    def events(self) -> int:
        """The number of events of the whole order."""
        return self.prefix + sum(turn.events for turn in self.turns)

    @property
    def checked(self) -> bool:
        """Whether the checker has no objections at all."""
        return not self.contradictions


@dataclass(frozen=True, slots=True)
class ObservedOrder:
    """The part of a trace that shows a prediction: its events as they were recorded, and the numbers of those that
    happen in the predicted order, in that order. ``omitted`` events of the trace are left out."""

    events: tuple[FindingEvent, ...]
    predicted: tuple[int, ...]
    omitted: int


@dataclass(frozen=True, slots=True)
class Finding:
    """One distinct bug, with the data for all forms of reports: from an execution that failed, or predicted from a
    recorded trace.

    ``events`` make it up: the two accesses of a race, the waits of the threads of a deadlock, the failure of a thread.
    ``thread`` is the stable name of the failing thread, ``label`` its name for people; both and ``location`` are those
    of the first event if the finding was predicted. ``fingerprint`` is equal for the same bug. ``witness`` is None if
    no order could be checked. ``engine`` is the strategy, or the stage of an engine, that found it; ``alike`` counts
    the proven bugs at the same places, including itself. ``replayed`` says whether it happened in a further execution,
    made by the schedule or witness alone; None: there was none.

    For an execution: its ``failure``, all of its steps up to that (``execution``), its ``cost`` (scheduling points that
    lead to the failure, switches and preemptions among them), the file of its ``schedule`` ("" if it could not be
    saved), the ``token``, the command to ``replay`` it, its ``output``, and the values of its unknown ``inputs``. In a
    report on several targets ``target`` is the one that was checked.

    For a prediction: the part of the trace around it (``observed``). ``details`` are about the steps of either, and
    ``orders`` says which of them can change places; both may be missing.
    """

    kind: str
    message: str
    thread: str
    location: Location | None
    explanation: Explanation
    fingerprint: str
    events: tuple[FindingEvent, ...] = ()
    witness: CheckedWitness | None = None
    label: str = ""
    engine: str = ""
    alike: int = 1
    replayed: bool | None = None
    failure: Failure | None = None
    execution: tuple[FindingEvent, ...] = ()
    cost: Cost | None = None
    schedule: str = ""
    token: str = ""
    replay: str = ""
    output: str = ""
    details: Details | None = None
    orders: Orders | None = None
    observed: ObservedOrder | None = None
    inputs: tuple[tuple[str, int], ...] = ()
    target: str = ""

    @property
    def predicted(self) -> bool:
        """Whether the finding comes from a trace: another order of its events shows it."""
        return self.failure is None
