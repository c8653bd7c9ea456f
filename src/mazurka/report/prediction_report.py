"""What a prediction found in a trace, as data: everything that any form of the report tells.

Counts carry their unit. A finding stands for all events of its places: ``racy_events`` and ``race_pairs`` count those
that were proven, of which ``race_locations`` are the distinct unordered pairs of places.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from mazurka.trace.event import Location


@dataclass(frozen=True, slots=True)
class Act:
    """One of the events that make up a finding."""

    event: int
    thread: str
    what: str  # "writes", "takes"
    target: str
    place: str  # in words; "" if the trace does not tell
    location: Location | None  # of a file that has lines


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
class Tier:
    """One step of an engine: what it was given, and what came of it."""

    name: str
    kind: str
    asked: int
    found: int
    seconds: float


@dataclass(frozen=True, slots=True)
class Suppressed:
    """A rule of the suppressions file."""

    rule: str
    line: int
    findings: int


@dataclass(slots=True)
class PredictionReport:
    """See the module. ``fallen`` counts candidates that turned out not to be possible, or were not believed by the
    checker (``refused``); ``undecided`` what was left open by a limit."""

    source: str
    engine: str
    events: int
    threads: int
    findings: list[Predicted] = field(default_factory=list)
    racy_events: int = 0
    race_pairs: int = 0
    race_locations: int = 0
    deadlocks: int = 0
    atomicity_violations: int = 0
    candidates: int = 0
    fallen: int = 0
    refused: int = 0
    undecided: int = 0
    tiers: list[Tier] = field(default_factory=list)
    suppressed: list[Suppressed] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    seconds: float = 0.0
