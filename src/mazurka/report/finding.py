"""The explanation of a failure as data: what every renderer, for people or for tools, starts from.

An :class:`Explanation` is the failing order itself, reduced to the steps that matter: rows from top to bottom in the
order in which they happened, each in the column of its thread. Nothing in here is reordered or invented; what is left
out is counted by a :class:`Fold`. Locations are as the program has them; renderers shorten them.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from mazurka.program.protocol import Failure, Frame
from mazurka.trace.event import Location


class Shape(Enum):
    """A known way for concurrency to go wrong. Only claimed when the run shows it."""

    LOST_UPDATE = "lost update"
    CHECK_THEN_ACT = "check-then-act"
    ORDER_VIOLATION = "order violation"
    UNSAFE_PUBLICATION = "unsafe publication"
    HALF_DONE = "half-done change"
    ITERATION = "iteration invalidated"
    LOCK_ORDER = "lock-order deadlock"
    SELF_DEADLOCK = "self-deadlock"
    LOST_WAKE_UP = "lost wake-up"
    LATE_STORE = "late store"
    DATA_RACE = "data race"


@dataclass(frozen=True, slots=True)
class Column:
    """A thread that matters: its stable name and what people call it."""

    thread: str
    label: str


@dataclass(frozen=True, slots=True)
class Row:
    """What a thread did in one place, without another kept step in between.

    ``step`` is the number, from 1, of the first of its steps; ``what`` says what each did; ``note`` why the scheduler
    let this thread go on here; ``caller`` is the user's line that led into a library.
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
    """Steps left out, since the failure does not depend on their order: (column label, how many) for each thread."""

    steps: tuple[tuple[str, int], ...]

    @property
    def count(self) -> int:
        """How many steps in all."""
        return sum(number for _, number in self.steps)


@dataclass(frozen=True, slots=True)
class Explanation:
    """Why a run failed. ``shape`` is None if it is none of the known ones; ``sentence`` is always there."""

    columns: tuple[Column, ...]
    rows: tuple[Row | Fold, ...]
    shape: Shape | None
    sentence: str


@dataclass(frozen=True, slots=True)
class Evidence:
    """What was done to be sure of a finding.

    ``events`` is how many events its witness has; the checker believes it, but for the ``contradictions`` among the
    values shown, which something that is not tracked must have written. ``replayed`` says that the program failed
    again, in a further run made by the schedule alone.
    """

    events: int
    contradictions: tuple[str, ...] = ()
    replayed: bool = False

    @property
    def checked(self) -> bool:
        """Whether there is nothing against the witness."""
        return not self.contradictions


@dataclass(frozen=True, slots=True)
class Finding:
    """One distinct failure, explained and replayable. ``thread`` is what people call the failing thread.

    ``steps`` counts the points that lead to it, ``context_switches`` and ``preemptions`` those of its schedule.
    ``schedule`` is the saved file ("" if it could not be saved), ``replay`` the command to run it, ``output`` what
    the failing run printed.
    """

    failure: Failure
    explanation: Explanation
    steps: int
    context_switches: int
    preemptions: int
    fingerprint: str
    thread: str
    schedule: str = ""
    token: str = ""
    replay: str = ""
    output: str = ""
    evidence: Evidence | None = None
