"""The common protocol of all reports: findings, and the result if there are none.

The report of a check and that of a prediction (check_report.py, prediction_report.py) have more data, which only text
and JSON show.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import Enum
from typing import Protocol

from mazurka.lazy_dataclass import dataclass
from mazurka.program.protocol import Failure
from mazurka.report.finding import Finding

#: Settings and counts, as tools show them beside the findings.
Fact = str | int | bool


class Level(Enum):
    """How much attention a report without findings needs."""

    NOTICE = "notice"
    WARNING = "warning"
    ERROR = "error"


@dataclass(frozen=True, slots=True)
class Conclusion:
    """The result of a report without findings."""

    level: Level
    words: str


@dataclass(frozen=True, slots=True)
class Suppressed:
    """A failure that was suppressed: ``by`` names the rule."""

    failure: Failure
    fingerprint: str
    by: str


class Report(Protocol):
    """See the module. Paths are shown relative to ``root`` ("": the working directory)."""

    @property
    def subject(self) -> str:
        """The program, function or test of the check, or the trace."""
        ...

    @property
    def findings(self) -> Sequence[Finding]:
        """The findings, in the order in which they are shown."""
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
        """Internal errors: contradictions that can only be bugs in Mazurka."""
        ...

    @property
    def rules(self) -> Mapping[str, str]:
        """The meaning of each possible kind of finding."""
        ...

    @property
    def facts(self) -> Mapping[str, Fact]:
        """The settings and counts, by name."""
        ...

    @property
    def suppressed_failures(self) -> Sequence[Suppressed]:
        """The suppressed failures."""
        ...

    @property
    def conclusion(self) -> Conclusion:
        """The result without a finding, in words."""
        ...
