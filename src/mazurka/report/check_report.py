"""The result of one check, as every renderer gets it.

Invariant: a report with findings is a violation; a verified one is complete, has no untracked or uncontrolled
operations and no suppressed failures, and is of a program that starts threads. A failure that the witness checker
rejects is no finding but an inconsistency, and a report with one is never verified.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import field, replace
from enum import Enum
from typing import Final

from mazurka.explore.outcome import Predictions
from mazurka.lazy_dataclass import dataclass
from mazurka.program.protocol import Failure, FailureKind
from mazurka.report.coverage import CoverageReport
from mazurka.report.finding import Finding
from mazurka.report.report import Conclusion, Fact, Level, Suppressed
from mazurka.report.search_history import SearchHistory


class Verdict(Enum):
    """The result of a check."""

    VIOLATION = "violation"
    VERIFIED = "verified"
    INCONCLUSIVE = "inconclusive"


_MEMORY: Final = {
    "sc": "memory is sequentially consistent",
    "tso": "memory is TSO: plain stores reach other threads late, each thread's in their order",
    "pso": "memory is PSO: plain stores reach other threads late, those to different locations in any order",
}

#: The meaning of each kind of failure.
RULES: Final = {
    FailureKind.EXCEPTION: "An order of the threads makes a thread end with an exception.",
    FailureKind.ASSERTION: "An order of the threads violates an assertion.",
    FailureKind.DEADLOCK: "An order of the threads makes threads wait for one another.",
    FailureKind.BLOCKED: "An order of the threads makes a thread wait for ever.",
    FailureKind.LIVELOCK: "An order of the threads makes threads loop without progress.",
    FailureKind.NONDETERMINISM: "The program behaves differently under the same schedule.",
    FailureKind.INVARIANT: "An order of the threads violates the invariant.",
    FailureKind.EXIT: "An order of the threads makes the program exit with an error.",
    FailureKind.RACE: "Two threads access the same location, one of them writes, and the accesses are not ordered.",
    FailureKind.PROPERTY: "An order of the threads violates a property of the user.",
}


@dataclass(frozen=True, slots=True)
class CoveredScope:
    """The coverage: the largest numbers of threads and of points of one execution, and the number of points in the
    source."""

    threads: int = 0
    points: int = 0
    sites: int = 0
    memory_model: str = "sc"
    timing: str = ""  # the assumption about time, in words
    inputs: int = 0  # the classes of unknown inputs that were searched; 0: there are no such inputs

    @property
    def assumptions(self) -> tuple[str, ...]:
        """The assumptions of a verdict, in words."""
        return (
            _MEMORY[self.memory_model],
            "threads switch at tracked accesses and at primitives, each of which is indivisible",
            self.timing or "a timeout fires only when no thread can move",
            "inputs that are not declared unknown are those of this run"
            if self.inputs
            else "the inputs are those of this run",
        )


@dataclass(frozen=True, slots=True)
class CheckReport:
    """The data of the report on one check.

    ``suppressed`` are suppressed failures, ``unused`` the suppressions that matched none.
    ``reason`` is the reason of the result: why the search stopped, or why it is inconclusive. ``notes`` are further
    remarks for the user, ``inconsistencies`` errors in Mazurka itself. Paths are shown relative to ``root`` ("": the
    working directory). ``history`` is the course of the search, ``coverage`` what it has covered if it did not end,
    ``advice`` the next step then, with a command. ``error`` is the reason why the target could not be checked ("": it
    was).

    The report on several targets has one of each in ``parts``, and their findings (:func:`combined`).
    """

    target: str
    verdict: Verdict
    reason: str = ""
    strategy: str = "mcr"
    memory_model: str = "sc"
    executions: int = 0
    seconds: float = 0.0
    complete: bool = False
    scope: CoveredScope = CoveredScope()
    untracked: Mapping[str, int] = field(default_factory=dict)
    uncontrolled: Mapping[str, int] = field(default_factory=dict)
    findings: tuple[Finding, ...] = ()
    notes: tuple[str, ...] = ()
    predictions: Predictions = field(default_factory=Predictions)
    inconsistencies: tuple[str, ...] = ()
    assuming: str = ""  # of a verified program: the assumption of the proof, beyond the usual ones
    root: str = ""
    suppressed: tuple[Suppressed, ...] = ()
    unused: tuple[str, ...] = ()
    history: SearchHistory | None = None
    coverage: CoverageReport | None = None
    advice: str = ""
    error: str = ""
    parts: tuple[CheckReport, ...] = ()

    @property
    def subject(self) -> str:
        """The failures, in the order in which they are shown."""
        return self.target

    @property
    def errors(self) -> Sequence[str]:
        """Internal errors: contradictions that can only be bugs in Mazurka."""
        return self.inconsistencies

    @property
    def rules(self) -> Mapping[str, str]:
        """The meaning of each kind of failure."""
        failures = [*(each.failure for each in self.findings), *(each.failure for each in self.suppressed)]
        own = {each.rule for each in failures if isinstance(each, Failure) and each.rule}
        stated = {name: f"An order of the threads violates the property {name}." for name in sorted(own)}
        nameless = any(each.kind_name == FailureKind.PROPERTY.value for each in failures if isinstance(each, Failure))
        return {
            kind.value: rule for kind, rule in RULES.items() if kind is not FailureKind.PROPERTY or nameless
        } | stated

    @property
    def facts(self) -> Mapping[str, Fact]:
        """The settings and counts of the check, by name."""
        return {
            "target": self.target,
            "verdict": self.verdict.value,
            "reason": self.reason,
            "strategy": self.strategy,
            "memory_model": self.memory_model,
            "executions": self.executions,
            "complete": self.complete,
            "suppressed": len(self.suppressed),
        }

    @property
    def suppressed_failures(self) -> Sequence[Suppressed]:
        """The suppressed failures."""
        return self.suppressed

    @property
    def conclusion(self) -> Conclusion:
        """The result without a finding, in words."""
        if self.error:
            return Conclusion(Level.ERROR, self.error)
        words = f"{self.verdict.value} after {self.executions} executions"
        if self.reason:
            words += ": " + "; ".join((self.reason, *self.inconsistencies))
        if self.verdict is Verdict.VERIFIED:
            return Conclusion(Level.NOTICE, words)
        return Conclusion(Level.ERROR if self.inconsistencies else Level.WARNING, words)

    def covers(self, complete: bool, preemptions: int | None) -> bool:
        """Whether the check has covered as much as is required: all, or every order with up to so many preemptions."""
        if self.verdict is not Verdict.INCONCLUSIVE:
            return True
        if complete or preemptions is None:
            return not complete
        return self.coverage is not None and self.coverage.covers(preemptions)

    @property
    def explored_nothing(self) -> bool:
        """Whether no threads were started, so that the one execution covers everything and shows nothing about
        threads: another target was probably meant."""
        quiet = not self.error and not (
            self.findings or self.suppressed or self.inconsistencies or self.untracked or self.uncontrolled
        )
        inconclusive = self.verdict is Verdict.INCONCLUSIVE
        return inconclusive and self.complete and self.scope.threads <= 1 and quiet


def combined(parts: Sequence[CheckReport]) -> CheckReport:
    """The report on several targets: the worst verdict, and all findings, each with its target.

    It is verified only if every part is, and every one starts threads.
    """
    findings = [replace(finding, target=part.target) for part in parts for finding in part.findings]
    sound = parts and all(part.verdict is Verdict.VERIFIED for part in parts)
    verdict = Verdict.VIOLATION if findings else Verdict.VERIFIED if sound else Verdict.INCONCLUSIVE
    scopes = [part.scope for part in parts]
    return CheckReport(
        f"{len(parts)} targets",
        verdict,
        "; ".join(f"{part.target}: {part.reason}" for part in parts if part.verdict is verdict and part.reason),
        strategy=parts[0].strategy if parts else "",
        memory_model=parts[0].memory_model if parts else "",
        executions=sum(part.executions for part in parts),
        seconds=sum(part.seconds for part in parts),
        complete=all(part.complete for part in parts),
        scope=replace(
            scopes[0],
            threads=max(each.threads for each in scopes),
            points=max(each.points for each in scopes),
            sites=sum(each.sites for each in scopes),
        ),
        untracked=_summed([part.untracked for part in parts]),
        uncontrolled=_summed([part.uncontrolled for part in parts]),
        findings=tuple(findings),
        notes=tuple([f"{part.target}: {note}" for part in parts for note in part.notes]),
        inconsistencies=tuple([f"{part.target}: {each}" for part in parts for each in part.inconsistencies]),
        root=parts[0].root,
        suppressed=tuple([each for part in parts for each in part.suppressed]),
        unused=tuple([f"{part.target}: {each}" for part in parts for each in part.unused]),
        error="; ".join(f"{part.target}: {part.error}" for part in parts if part.error),
        parts=tuple(parts),
    )


def _summed(counts: Sequence[Mapping[str, int]]) -> dict[str, int]:
    total: Counter[str] = Counter()
    for each in counts:
        total.update(each)
    return dict(total)
