"""From a failing execution to a finding: shrunk, checked, replayed, explained, saved.

A search yields failing executions (:class:`mazurka.explore.outcome.FailingExecution`); replay/reproduce.py executes the
program again, certifying.py has the order checked, and report/explain.py explains it. This module calls each step once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import field
from functools import partial

from mazurka.config import Options
from mazurka.errors import MazurkaError
from mazurka.explore.outcome import FailingExecution
from mazurka.lazy_dataclass import dataclass
from mazurka.program.protocol import FailureKind, Program
from mazurka.replay.anchor import portable_path
from mazurka.replay.codec import to_token
from mazurka.replay.replayer import with_inputs
from mazurka.replay.reproduce import Reproduction, changes_places, happens_again, simplest, timed, without_delay
from mazurka.replay.schedule import INPUTS, TIMING, Schedule, record_schedule
from mazurka.report.explain import describe
from mazurka.report.finding import Finding
from mazurka.workflows.certifying import WitnessRefused, examined, orders_in, orders_wanted
from mazurka.workflows.program_spec import ProgramSpec
from mazurka.workflows.store import Store


@dataclass(slots=True)
class FindingBuilder:
    """Turns failures into findings, and keeps their schedules."""

    program: Program
    subject: ProgramSpec
    options: Options
    store: Store | None
    note: Callable[[str], None]
    explained: Callable[[Finding], None]  # called with each finding
    engine: str  # the strategy that found them
    simplifies: bool = True  # otherwise only the order that failed is executed
    notes: list[str] = field(default_factory=list)

    def findings(self, failing: Iterable[FailingExecution]) -> tuple[tuple[Finding, ...], tuple[str, ...]]:
        """The failures whose witnesses are accepted as findings, and the objections to the others."""
        findings, refused = [], []
        for each in failing:
            try:
                findings.append(self.finding(each))
                self.explained(findings[-1])
            except WitnessRefused as error:
                refused.append(str(error))
        return tuple(findings), tuple(refused)

    def finding(self, found: FailingExecution) -> Finding:
        """A failure as a finding; raises :class:`WitnessRefused` if its witness is rejected."""
        with with_inputs(self.program, dict(found.inputs)):
            return self._finding(without_delay(self.program, found, self.options.timing))

    def _finding(self, found: FailingExecution) -> Finding:
        with timed(self.program, found.timing):
            shown = simplest(self.program, found, simplifies=self.simplifies)
            if not shown.happened and shown.failure.kind is not FailureKind.NONDETERMINISM:
                self.notes.append(
                    "the failure did not happen again under the same schedule: the program is not deterministic"
                )
            return self._described(shown, self._schedule(shown, found.timing))

    def _schedule(self, shown: Reproduction, timing: float | None) -> Schedule:
        inputs = {INPUTS: dict(shown.run.inputs)} if shown.run.inputs else {}
        return record_schedule(
            shown.run,
            self.program,
            shown.failure,
            target=self.subject.target,
            arguments=self.subject.arguments,
            strategy=self.options.strategy,
            memory_model=self.options.memory_model,
            options={**self.subject.loading, **({} if timing is None else {TIMING: timing}), **inputs},
        )

    def _described(self, shown: Reproduction, schedule: Schedule) -> Finding:
        """The finding, after its order has been checked and executed again."""
        failure = shown.failure
        if failure.is_race and failure.adjacent and not changes_places(self.program, schedule, failure):
            raise WitnessRefused(
                "witness-refused",
                f"a data race was found ({failure.message}), but the two accesses can't change places",
                hint="this is an error in Mazurka, please report it",
            )
        replayed, witness = happens_again(self.program, schedule), examined(shown.run, failure)
        token, path = to_token(schedule), self._save(schedule)
        return describe(
            shown.run,
            failure,
            self.program,
            witness=witness,
            replayed=replayed,
            engine=self.engine,
            schedule=path,
            token=token,
            replay=self.subject.replay_command(path or token),
            orders=partial(orders_in, shown.run, failure) if orders_wanted(self.options) else None,
        )

    def _save(self, schedule: Schedule) -> str:
        if self.store is None:
            return ""
        try:
            return portable_path(str(self.store.save(schedule)))
        except MazurkaError as error:
            self.note(f"can't save the schedule: {error}")
            return ""
