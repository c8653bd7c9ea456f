"""What a prediction found in a trace, as data: everything that any form of the report tells.

Counts carry their unit. A finding stands for all events of its places: ``racy_events`` counts the events that were
proven to race with an earlier one, ``race_pairs`` the proven pairs of events, ``race_locations`` their distinct
unordered pairs of places.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from mazurka.predict.engines import COMMUNICATION, Stage
from mazurka.trace.event import Location


@dataclass(frozen=True, slots=True)
class Lock:
    """A lock that a thread has, and the event and place at which it took it."""

    name: str
    event: int
    place: str


@dataclass(frozen=True, slots=True)
class Act:
    """One of the events that make up a finding."""

    event: int
    thread: str
    what: str  # "writes", "takes"
    target: str
    place: str  # in words; "" if the trace does not tell
    location: Location | None  # of a file that has lines
    held: tuple[Lock, ...] = ()  # by its thread, before it


@dataclass(frozen=True, slots=True)
class Turn:
    """Consecutive events of one thread in a reordering: how many, and the last of them."""

    thread: str
    events: int
    last: int
    place: str


@dataclass(frozen=True, slots=True)
class Shown:
    """A checked witness: after the first ``prefix`` events of the trace, the threads take these turns."""

    prefix: int
    turns: tuple[Turn, ...]
    unread: tuple[int, ...]

    @property
    def events(self) -> int:
        return self.prefix + sum(turn.events for turn in self.turns)


@dataclass(frozen=True, slots=True)
class Predicted:
    """One finding. ``alike`` counts the proven bugs of the same places, itself included; ``confirmed`` is known only
    once the witness has been run."""

    kind: str
    acts: tuple[Act, ...]
    engine: str
    witness: Shown
    alike: int = 1
    confirmed: bool | None = None


@dataclass(frozen=True, slots=True)
class Suppressed:
    """A rule of the suppressions file."""

    rule: str
    line: int
    findings: int


@dataclass(frozen=True, slots=True)
class Counts:
    """What was proven, suppressed findings included."""

    racy_events: int = 0
    race_pairs: int = 0
    race_locations: int = 0
    deadlocks: int = 0
    atomicity_violations: int = 0
    order_violations: int = 0


@dataclass(slots=True)
class PredictionReport:
    """See the module. In ``stages`` candidates that fell are not possible; what is undecided was left open by a limit.
    ``refused`` says what the witness checker did not believe: errors in Mazurka."""

    source: str
    engine: str
    events: int
    threads: int
    kinds: tuple[str, ...]
    window: int | None = None
    findings: list[Predicted] = field(default_factory=list)
    counts: Counts = field(default_factory=Counts)
    stages: list[Stage] = field(default_factory=list)
    suppressed: list[Suppressed] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)
    seconds: float = 0.0
    expired: bool = False  # the time limit, or somebody's patience

    @property
    def undecided(self) -> int:
        """Of each kind, what its last stage left open, and what only one stage looks for."""
        last = {(stage.kind, stage.name == COMMUNICATION): stage.undecided for stage in self.stages}
        return sum(last.values())
