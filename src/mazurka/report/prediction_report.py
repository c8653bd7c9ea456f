"""What a prediction found in a trace, as data: everything that any form of the report tells.

Counts carry their unit. A finding stands for all events of its places: ``racy_events`` counts the events that were
proven to race with an earlier one, ``race_pairs`` the proven pairs of events, ``race_locations`` their distinct
unordered pairs of places.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from mazurka.predict.engines import Stage, undecided_after
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
    sentence: str  # what goes wrong
    witness: Shown
    ending: str  # where the order leads to
    alike: int = 1
    confirmed: bool | None = None


@dataclass(frozen=True, slots=True)
class Suppressed:
    """A rule of the suppressions file."""

    rule: str
    line: int
    findings: int


@dataclass(slots=True)
class PredictionReport:
    """See the module. In ``stages`` candidates that fell are not possible; what is undecided was left open by a limit.
    ``counts`` is what was proven of each kind, suppressed findings included. ``refused`` says what the witness checker
    did not believe: errors in Mazurka."""

    source: str
    engine: str
    events: int
    threads: int
    kinds: tuple[str, ...]
    window: int | None = None
    findings: list[Predicted] = field(default_factory=list)
    counts: Mapping[str, int] = field(default_factory=dict)
    stages: list[Stage] = field(default_factory=list)
    suppressed: list[Suppressed] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)
    seconds: float = 0.0
    expired: bool = False  # the time limit, or somebody's patience

    @property
    def undecided(self) -> int:
        """Of each kind, what its last stage left open, and what only one stage looks for."""
        return undecided_after(self.stages)
