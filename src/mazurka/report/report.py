"""What every form of a report is made of, whatever was done: findings, and what there is to say where there are none.

The report of a check and that of a prediction (check_report.py, prediction_report.py) tell more besides, which only the
forms for people and for programs show: text and JSON.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Protocol

from mazurka.program.protocol import Failure
from mazurka.report.finding import Finding

#: What was done, as tools show it beside the findings.
Fact = str | int | bool


class Level(Enum):
    """How much a report without findings is to be looked at."""

    NOTICE = "notice"
    WARNING = "warning"
    ERROR = "error"


@dataclass(frozen=True, slots=True)
class Conclusion:
    """What a report without findings comes to."""

    level: Level
    words: str


@dataclass(frozen=True, slots=True)
class Suppressed:
    """A failure that was found and is not told as one: ``by`` says why not."""

    failure: Failure
    fingerprint: str
    by: str


class Report(Protocol):
    """See the module. Paths are shown relative to ``root`` ("": the working directory)."""

    @property
    def subject(self) -> str:
        """What was checked, or the trace."""
        ...

    @property
    def findings(self) -> Sequence[Finding]:
        """What the report is about, in the order in which it is shown."""
        ...

    @property
    def seconds(self) -> float:
        """Wall-clock time of the request."""
        ...

    @property
    def root(self) -> str:
        """The folder that paths in the report are relative to."""
        ...

    @property
    def errors(self) -> Sequence[str]:
        """What must be wrong in Mazurka itself."""
        ...

    @property
    def rules(self) -> Mapping[str, str]:
        """By kind of finding, all that there might be: what it means."""
        ...

    @property
    def facts(self) -> Mapping[str, Fact]:
        """What was done, by name."""
        ...

    @property
    def suppressed_failures(self) -> Sequence[Suppressed]:
        """Failures kept back."""
        ...

    @property
    def conclusion(self) -> Conclusion:
        """What it comes to, if nothing was found."""
        ...
