"""The result of a prediction as data: all that the report formats show.

Counts carry their unit. A finding stands for all events of its places: ``racy_events`` counts the events that were
proven to race with an earlier one, ``race_pairs`` the proven pairs of events, ``race_locations`` their distinct
unordered pairs of places.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import TYPE_CHECKING

from mazurka.lazy_dataclass import dataclass
from mazurka.predict.kinds.registry import KINDS
from mazurka.report.finding import Finding
from mazurka.report.report import Conclusion, Fact, Level, Suppressed

if TYPE_CHECKING:
    from mazurka.predict.engines import Stage


@dataclass(frozen=True, slots=True)
class UsedRule:
    """A rule of the suppressions file, and the number of findings that it suppressed."""

    rule: str
    line: int
    findings: int


@dataclass(slots=True)
class PredictionReport:
    """See the module. In ``stages`` refuted candidates are infeasible; candidates are undecided because of a limit.
    ``counts`` are the numbers of proven bugs of each kind, suppressed findings included. ``unconfirmed`` are those that
    runs of the program did not show, or that rest on an order which a repair of the trace ``assumed``, without a run
    that shows them; they are no findings and are not counted. ``lacking`` says which events of
    properties the trace does not have; ``is_vacuous``: without them nothing could be found. ``refused`` are witnesses
    that the checker rejected: errors in Mazurka."""

    source: str
    engine: str
    events: int
    threads: int
    kinds: tuple[str, ...]
    window: int | None = None
    findings: list[Finding] = field(default_factory=list)
    counts: Mapping[str, int] = field(default_factory=dict)
    stages: list[Stage] = field(default_factory=list)
    undecided: int = 0  # candidates that no stage has decided
    unconfirmed: list[Finding] = field(default_factory=list)
    assumed: tuple[str, ...] = ()
    lacking: list[str] = field(default_factory=list)
    is_vacuous: bool = False
    suppressed: list[UsedRule] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)
    seconds: float = 0.0
    expired: bool = False  # whether the time limit, or Ctrl-C, ended it
    root: str = ""  # paths are shown as the trace has them

    @property
    def subject(self) -> str:
        """The findings, in the order in which they are shown."""
        return self.source

    @property
    def errors(self) -> Sequence[str]:
        """Internal errors: contradictions that can only be bugs in Mazurka."""
        return self.refused

    @property
    def rules(self) -> Mapping[str, str]:
        """The meaning of each kind of finding."""
        return {kind.name: kind.rule for kind in KINDS.values()}

    @property
    def facts(self) -> Mapping[str, Fact]:
        """The settings and counts of the prediction, by name."""
        return {
            "source": self.source,
            "engine": self.engine,
            "kinds": ",".join(self.kinds),
            "events": self.events,
            "threads": self.threads,
            **self.counts,
            "undecided": self.undecided,
            **({"unconfirmed": len(self.unconfirmed)} if self.unconfirmed else {}),
            **({"lacking": "; ".join(self.lacking)} if self.lacking else {}),
            "suppressed": sum(each.findings for each in self.suppressed),
        }

    @property
    def suppressed_failures(self) -> Sequence[Suppressed]:
        """Suppressed failures: none, since predictions are no failures."""
        return ()

    @property
    def conclusion(self) -> Conclusion:
        """The result without a finding, in words."""
        searched = f"nothing found in {self.events} events of {self.threads} threads by {self.engine}"
        if self.refused:
            return Conclusion(Level.ERROR, f"{searched}: an error in Mazurka: {'; '.join(self.refused)}")
        left = [f"{self.undecided} candidates are undecided"] if self.undecided else []
        left += [f"{len(self.unconfirmed)} not proven"] if self.unconfirmed else []
        words = "; ".join([searched, *left, *self.lacking])
        return Conclusion(Level.WARNING if self.is_incomplete else Level.NOTICE, words)

    @property
    def is_incomplete(self) -> bool:
        """Whether there may be bugs that the trace could show: something was left open."""
        return bool(self.undecided or self.unconfirmed or self.is_vacuous)
