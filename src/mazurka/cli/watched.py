"""A check of the command line: in a supervised child, so that its time limit holds (supervision.py).

The child sends its progress, each failure that it meets and each that it has explained, and in the end its report. If
it ends before that, at its time limit or because it died, the report is made from its messages: a second child explains
failures that were met and not explained, within a few seconds each; otherwise they are reported without an explanation.
The result is then never ``verified``.
"""

from __future__ import annotations

import signal
import time
from collections.abc import Callable
from dataclasses import field
from pathlib import Path
from typing import Any, Final

from mazurka.cli import supervision
from mazurka.cli.exit_status import confess
from mazurka.cli.interrupt import Interrupt
from mazurka.cli.live.sender import LiveSender
from mazurka.cli.progress import ProgressLine
from mazurka.config import Options
from mazurka.errors import MazurkaError
from mazurka.explore.outcome import FailingExecution
from mazurka.lazy_dataclass import dataclass
from mazurka.program.python import outside
from mazurka.program.python.instrument import known_functions
from mazurka.report.check_report import CheckReport, CoveredScope, Verdict
from mazurka.report.explain import unexplained
from mazurka.report.finding import Finding
from mazurka.report.search_history import SearchSample
from mazurka.workflows.checking import NullObserver, check, explain
from mazurka.workflows.program_spec import ProgramSpec, open_program
from mazurka.workflows.store import FOLDER, Store, open_store
from mazurka.workflows.suppressing import Suppressions, suppressions_of

#: Seconds after the time limit at which a child is killed that has not ended by itself.
_GRACE: Final = 0.7

#: Seconds that composing the report, or explaining a failure, may take beyond the time limit.
_EXPLAINING: Final = 3.0

#: Seconds between two messages about the progress of the search.
_EVERY: Final = 0.05

_UNEXPLAINED: Final = (
    "No time was left to explain this failure. Check again with a longer --time-limit; "
    "the saved search leads there first."
)


@dataclass(frozen=True, slots=True)
class Checked:
    """The result of a check; ``crashed``: the process that made it died by itself."""

    report: CheckReport
    interrupted: bool = False
    crashed: bool = False


def get_ready() -> None:
    """Before the clock of a check starts: do in this process, which children share memory with, all that takes time and
    does not depend on the program."""
    if supervision.AVAILABLE:
        known_functions.look_ahead()


def checked(
    subject: ProgramSpec, options: Options, progress: ProgressLine, started: float, live: LiveSender
) -> Checked:
    """Check a program in a child, or in this process if there can be no children. The time limit counts from
    ``started`` on."""
    live.send(("begin", " ".join((subject.target, *subject.arguments)), options.strategy, options.memory_model))
    if not supervision.AVAILABLE:
        telling = _ForwardingObserver(_Here(progress))
        reports: list[CheckReport] = []
        _check(subject, options, telling, started, reports.append)
        return Checked(reports[0], telling.interrupted())
    return _WatchedChild(subject, options, progress, started, live).run()


def _check(
    subject: ProgramSpec,
    options: Options,
    telling: _ForwardingObserver,
    started: float,
    take: Callable[[CheckReport], None],
) -> None:
    """Check a program. ``take`` gets the report before the program is closed, which takes a second after many
    executions: garbage is collected."""
    store = open_store(Path.cwd(), telling.note) if options.save else None
    loaded = open_program(subject, options, store.cache if store else None)
    with telling:
        try:
            take(check(loaded, subject, options, store=store, watcher=telling, started=started))
        finally:
            loaded.close()


class _Here:
    """The observer of a check in this process."""

    def __init__(self, progress: ProgressLine) -> None:
        self._progress = progress

    def send(self, message: Any) -> None:
        _show(self._progress, message)


def _show(progress: ProgressLine, message: Any) -> None:
    match message:
        case ("note", text):
            progress.note(text)
        case ("progress", executions, found, total, deciding):
            progress.update(executions, found, total, deciding)


class _ForwardingObserver(NullObserver):
    """Forwards the progress, and takes Ctrl-C for a request to stop."""

    def __init__(self, wire: supervision.Wire | _Here, live: bool = False) -> None:
        self._wire = wire
        self._live = live
        self._interrupt = Interrupt()
        self._next = self._next_sample = 0.0

    def __enter__(self) -> None:
        self._interrupt.__enter__()

    def __exit__(self, *exception: object) -> None:
        self._interrupt.__exit__(*exception)

    def interrupted(self) -> bool:
        return self._interrupt.requested

    def progress(self, executions: int, found: int, total: float | None, deciding: bool) -> None:
        now = time.monotonic()
        if now >= self._next:
            self._next = now + _EVERY
            self._wire.send(("progress", executions, found, total, deciding))

    def sampled(self, sample: SearchSample, deciding: bool) -> None:
        now = time.monotonic()
        if self._live and now >= self._next_sample:
            self._next_sample = now + _EVERY
            self._wire.send(("sample", sample, deciding))

    def note(self, text: str) -> None:
        self._wire.send(("note", text))

    def found(self, failing: FailingExecution) -> None:
        self._wire.send(("found", failing))

    def searched(self, number: int) -> None:
        self._wire.send(("searched", number))

    def explained(self, finding: Finding) -> None:
        self._wire.send(("explained", finding))


@dataclass(slots=True)
class _WatchedChild:
    """A check made by a child, and its messages."""

    subject: ProgramSpec
    options: Options
    progress: ProgressLine
    started: float
    live: LiveSender
    executions: int = 0
    failing: dict[tuple[str, ...], FailingExecution] = field(default_factory=dict)
    findings: list[Finding] = field(default_factory=list)
    report: CheckReport | None = None
    error: MazurkaError | None = None
    searched: bool = False
    interrupted: bool = False
    _deadline: float | None = None
    _suppressions: Suppressions | None = None  # for the live page

    def run(self) -> Checked:
        if self.options.time_limit is not None:
            self._deadline = self.started + self.options.time_limit + _GRACE
        child = self._watch(self._check)
        if self.error is not None:
            raise self.error
        if self.report is not None:
            return Checked(self.report, self.interrupted)
        if not child.expired and child.status is not None and child.status >= 0:
            raise SystemExit(child.status)  # it has printed the error itself
        self._recover()
        if child.expired:
            limit = f"the time limit of {self.options.time_limit:g} s was reached"
            report = self._partial(limit + (f" at {child.place}" if child.place else ""))
            return Checked(report, child.interrupted)
        assert child.status is not None
        died = f"the process that ran the program was killed by {_name(-child.status)}"
        return Checked(self._partial(died), crashed=True)

    def _watch(self, work: Callable[[supervision.Wire], int]) -> supervision.Child:
        child = supervision.start(work)
        for message in child.messages(lambda: self._deadline, self._tick):
            self._take(message)
        return child

    def _tick(self) -> None:
        self.progress.tick()
        self.live.flush()

    def _take(self, message: Any) -> None:
        if self.live.wanted:
            self._take_live(message)
        match message:
            case ("sample", *_):
                pass
            case ("progress", executions, *_):
                self.executions = executions
                _show(self.progress, message)
            case ("found", failing):
                self.failing.setdefault(failing.failure.identity, failing)
            case ("searched", _):
                self.searched = True
                self._extend()
            case ("explained", finding):
                self.findings.append(finding)
                self._extend()
            case ("report", report, interrupted):
                self.report, self.interrupted = report, interrupted
            case ("error", error):
                self.error = error
            case _:
                _show(self.progress, message)

    def _take_live(self, message: Any) -> None:
        match message:
            case ("found", failing):
                self._suppressions = self._suppressions or suppressions_of(self.options)
                if not self._suppressions.keeps_back(failing.failure):
                    self.live.send(message)
            case ("sample" | "note" | "explained", *_):
                self.live.send(message)

    def _extend(self) -> None:
        if self._deadline is not None:
            self._deadline = max(self._deadline, time.perf_counter() + _EXPLAINING)

    # -- in the child -------------------------------------------------------------------------------------------------

    def _check(self, wire: supervision.Wire) -> int:
        def work(telling: _ForwardingObserver) -> None:
            _check(
                self.subject,
                self.options,
                telling,
                self.started,
                lambda report: wire.send(("report", report, telling.interrupted())),
            )

        return self._sending_errors(wire, work)

    def _explain(self, wire: supervision.Wire, failing: list[FailingExecution]) -> int:
        return self._sending_errors(wire, lambda telling: self._explain_with(telling, failing))

    def _explain_with(self, telling: _ForwardingObserver, failing: list[FailingExecution]) -> None:
        store = Store(Path.cwd() / FOLDER) if self.options.save else None
        loaded = open_program(self.subject, self.options)
        try:
            explain(loaded, self.subject, self.options, failing, store=store, watcher=telling)
        finally:
            loaded.close()

    def _sending_errors(self, wire: supervision.Wire, work: Callable[[_ForwardingObserver], None]) -> int:
        """Do the work of a child; errors are sent to the parent, too."""
        self.live.leave()
        try:
            work(_ForwardingObserver(wire, self.live.wanted))
        except MazurkaError as error:
            wire.send(("error", error))
        except Exception:
            confess()
            return 2
        return 0

    # -- without a report ---------------------------------------------------------------------------------------------

    def _recover(self) -> None:
        """Restore the files that the program has changed in the run that was ended."""
        outside.files.JOURNAL.recover_others()
        for trouble in outside.files.JOURNAL.take_troubles():
            self.progress.note(f"a file could not be put back, {trouble}")

    def _partial(self, reason: str) -> CheckReport:
        """The report on a check that did not end, from its messages."""
        suppressions = suppressions_of(self.options)
        reported = [each for each in self.failing.values() if not suppressions.keeps_back(each.failure)]
        suppressed = [suppressions.suppressed(each.failure) for each in self.failing.values() if each not in reported]
        if self.options.write_baseline:
            suppressions.write(self.subject.target, complete=False)
        if not self.options.all_failures:
            first = [each for each in reported if not each.failure.is_race][:1]
            reported = [*first, *[each for each in reported if each.failure.is_race]]
        self._explain_the_rest(reported)
        explained = {each.failure.identity for each in self.findings if each.failure is not None}
        rest = [each.failure for each in reported if each.failure.identity not in explained]
        findings = (*self.findings, *[unexplained(each, _UNEXPLAINED) for each in rest])
        return CheckReport(
            target=" ".join((self.subject.target, *self.subject.arguments)),
            verdict=Verdict.VIOLATION if findings else Verdict.INCONCLUSIVE,
            reason=reason,
            strategy=self.options.strategy,
            memory_model=self.options.memory_model,
            executions=self.executions,
            seconds=time.perf_counter() - self.started,
            scope=CoveredScope(memory_model=self.options.memory_model),
            findings=findings,
            suppressed=tuple(suppressed),
        )

    def _explain_the_rest(self, reported: list[FailingExecution]) -> None:
        """Explain the remaining failures in a second child, unless the first one was ended while explaining."""
        explained = {each.failure.identity for each in self.findings if each.failure is not None}
        rest = [each for each in reported if each.failure.identity not in explained]
        if rest and not self.searched:
            self._deadline = time.perf_counter() + _EXPLAINING
            child = self._watch(lambda wire: self._explain(wire, rest))
            if child.expired:
                self._recover()


def _name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
