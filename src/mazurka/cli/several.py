"""The check of several targets: programs one after the other, then all tests in one session of pytest.

Programs and the session each run in a child process (:mod:`mazurka.cli.supervision`). A target that can't be checked is
a report with an error, and the others go on; Ctrl-C ends the check with the reports so far. Reports are handed over as
they are made.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import field
from time import perf_counter
from typing import Any

from mazurka.cli import supervision
from mazurka.cli.exit_status import confess
from mazurka.cli.live.sender import LiveSender
from mazurka.cli.progress import ProgressLine
from mazurka.cli.targets import Targets
from mazurka.cli.watched import checked
from mazurka.config import Options
from mazurka.errors import MazurkaError
from mazurka.lazy_dataclass import dataclass
from mazurka.report.check_report import CheckReport, Verdict
from mazurka.workflows.program_spec import import_front_end, subject_of

_CRASHED = 2


@dataclass(slots=True)
class SeveralChecks:
    """The checks of several targets. ``overrides`` are the settings of the command line, by field, for tests.
    ``interrupted`` and ``crashed`` say how they ended."""

    targets: Targets
    options: Options
    overrides: Mapping[str, Any]
    arguments: tuple[str, ...]
    front_end: str
    progress: bool
    live: LiveSender
    interrupted: bool = False
    crashed: bool = False
    _met: list[str] = field(default_factory=list)

    def reports(self) -> Iterator[CheckReport]:
        """The report on each target."""
        for program in self.targets.programs:
            yield self._program(program)
            if self.interrupted:
                return
        if self.targets.tests:
            yield from self._tests()

    def _program(self, program: str) -> CheckReport:
        begun = perf_counter()
        subject = subject_of(program, self.arguments, self.options, self.front_end)
        try:
            import_front_end(subject)
            with ProgressLine(self.progress, self.options.time_limit) as shown:
                done = checked(subject, self.options, shown, perf_counter(), self.live)
        except MazurkaError as error:
            return self._failed(program, str(error), perf_counter() - begun)
        except SystemExit:  # the child has printed an internal error
            self.crashed = True
            return self._failed(program, "an error in Mazurka", perf_counter() - begun)
        self.interrupted |= done.interrupted
        if done.crashed and not done.report.findings:
            return self._failed(program, done.report.reason, perf_counter() - begun)
        return done.report

    def _failed(self, target: str, error: str, seconds: float = 0.0) -> CheckReport:
        return CheckReport(target, Verdict.INCONCLUSIVE, f"error: {error}", error=error, seconds=seconds)

    def _tests(self) -> Iterator[CheckReport]:
        if not supervision.AVAILABLE:
            yield self._failed(", ".join(self.targets.tests), "tests are checked by pytest --mazurka on this platform")
            return
        child, met = supervision.start(self._session), bool(self.targets.programs)
        with ProgressLine(self.progress) as shown:
            self.live.send(("begin", " ".join(self.targets.tests), self.options.strategy, self.options.memory_model))
            for message in child.messages(lambda: None, lambda: shown.show("running tests")):
                match message:
                    case ("report", CheckReport() as report):
                        met = True
                        yield report
                    case ("error", MazurkaError() as error) if not met:
                        raise error  # there is nothing to report
                    case ("error", MazurkaError() as error):
                        yield self._failed(error.where or ", ".join(self.targets.tests), str(error))
                    case ("interrupted",):
                        self.interrupted = True
        self.interrupted |= child.interrupted
        if child.status and not self.interrupted:
            self.crashed = True
            yield self._failed(", ".join(self.targets.tests), f"pytest's process ended with status {child.status}")

    def _session(self, wire: supervision.Wire) -> int:
        """Run the tests, in the child."""
        self.live.leave()
        from importlib.util import find_spec

        if find_spec("pytest") is None:
            hint = "pip install pytest"
            wire.send(("error", MazurkaError("no-such-test", "tests need pytest, which is not installed", hint=hint)))
            return 0
        from mazurka.pytest_plugin.selected import check_tests

        try:
            send = self.targets.tests, self.overrides, self.targets.programs
            if check_tests(*send, lambda report: wire.send(("report", report))):
                wire.send(("interrupted",))
        except MazurkaError as error:
            wire.send(("error", error))
        except Exception:
            confess()
            return _CRASHED
        return 0
