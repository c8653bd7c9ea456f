"""From a recording of control flow to a schedule that fails as the recorded run did.

The program's executions are searched by a strategy of :mod:`mazurka.explore`; the recorded paths are facts about them
(:mod:`mazurka.flow.following`): a thread that takes another way stays there, so that a strategy that changes orders
where steps conflict has to change one of the steps on which that way depends.

An execution *reproduces* the failure if the recorded thread fails, in the recorded way, at the end of its path; if the
recorded program hung, if threads wait for ever, each at the end of its path. It counts only if it happens again without
the facts, by the order of the threads alone. Then it is shortened, checked, replayed and explained as that of a check.

Departure from the source (dissertation of S. Huang, ch. 6.3): there one formula over fresh symbols for all shared reads
is solved; here executions are searched, so that whatever the interpreter knows can be reproduced, symbolic or not. A
search that ends has shown that no execution follows the paths, unless executions ended with other failures before.
"""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
from dataclasses import field, replace
from enum import Enum
from typing import Final

from mazurka.config import Options
from mazurka.errors import UsageError
from mazurka.explore.explorer import Budget, Explorer
from mazurka.explore.outcome import FailingExecution, Inconclusive, Outcome
from mazurka.explore.strategy import StrategySettings
from mazurka.flow.decoding import BlockId
from mazurka.flow.following import FollowedPaths, open_recording
from mazurka.flow.plan import Plan as FlowPlan
from mazurka.flow.reading import names_of, plan_of
from mazurka.flow.recording import Recording
from mazurka.lazy_dataclass import dataclass
from mazurka.program.llvm.program import CProgram
from mazurka.program.protocol import Failure, FailureKind, Plan, Program, Run, learned_points
from mazurka.replay.anchor import portable_path
from mazurka.report.check_report import CheckReport, Verdict
from mazurka.workflows.checking import CheckObserver
from mazurka.workflows.findings import FindingBuilder
from mazurka.workflows.program_spec import RECORDING, ProgramSpec, settings_of
from mazurka.workflows.store import Store

#: What a process that was killed by these may have been killed for.
_FAULTS: Final = frozenset({FailureKind.EXCEPTION, FailureKind.ASSERTION})
_ENDED_FROM_OUTSIDE: Final = (signal.SIGTERM, signal.SIGINT, signal.SIGKILL)
_HANGS: Final = frozenset({FailureKind.DEADLOCK, FailureKind.BLOCKED, FailureKind.LIVELOCK})

#: Of ``auto``: the strategy that begins, and for which part of the time. It changes the last conflicting steps first.
#: For seven programs it needed 3 to 229 executions, and the portfolio 3 to 1,251. Without the paths it needed, for
#: executions in which no thread takes another way, 3, 35, 151, and for four programs more than 198 to 547.
AUTO: Final = "auto"
_FIRST: Final = "dpor"
_PART: Final = 1 / 3

#: Steps of an execution for each block of the recorded paths, beyond the usual limit.
_STEPS: Final = 20


class Answer(Enum):
    """How the attempt to reproduce a failure ended."""

    REPRODUCED = "reproduced"
    OTHER_FAILURE = "another failure"
    NOT_FOUND = "not found"


@dataclass(frozen=True, slots=True)
class Attempt:
    """The ``answer``, and the report on the search. ``followed`` is how much of all paths an execution has followed at
    most, from 0 to 1."""

    answer: Answer
    report: CheckReport
    followed: float = 0.0


@dataclass(slots=True)
class RecordedFailure:
    """The failure that a recording ends with: the kinds that it may be, the ``thread`` that failed ("": it hung), and
    the exit ``status``, where that is the failure; ``places`` are the lines at which the thread may have been.
    If it's ``strict`` no thread may have taken another way than its own."""

    kinds: frozenset[FailureKind]
    thread: str = ""
    status: int = 0
    places: frozenset[tuple[str, int]] = frozenset()
    strict: bool = False

    def is_alike(self, failure: Failure) -> bool:
        """Whether a failure is of these kinds, of this thread, and at one of these places."""
        if failure.kind not in self.kinds or not self.thread:
            return failure.kind in self.kinds
        if self.status and not failure.message.endswith(f" {self.status}"):
            return False
        place = failure.location
        return failure.thread == self.thread and (place is None or (place.file, place.line) in self.places)

    def is_met(self, failure: Failure, paths: FollowedPaths) -> bool:
        """Whether a failure of the last execution is this one."""
        if self.strict and paths.stopped():
            return False
        return self.is_alike(failure) and all(map(paths.is_at_end, (self.thread,) if self.thread else paths.threads))


def recorded_failure(recording: Recording, paths: FollowedPaths, where: str) -> RecordedFailure:
    """The failure of a recording; UsageError if there is none."""
    ending = recording.ending
    status = ending.status
    if ending.timed_out:
        return RecordedFailure(_HANGS)
    if status is None or (status < 0 and not ending.thread):
        problem = f"how it failed isn't known: {ending.words}"
        raise UsageError("not-reproducible", problem, where=where, hint="record a run that fails, or end it by SIGTERM")
    if not status:
        raise UsageError("not-reproducible", "nothing failed when it was recorded", where=where)
    if -status in _ENDED_FROM_OUTSIDE:
        return RecordedFailure(_HANGS)
    thread = names_of(recording).get(ending.thread, "0")
    kinds = frozenset({FailureKind.EXIT}) if status > 0 else _FAULTS
    places = frozenset(_places(plan_of(recording), paths.ends(thread)))
    return RecordedFailure(kinds, thread, max(status, 0), places)


def _places(plan: FlowPlan, blocks: list[BlockId]) -> Iterator[tuple[str, int]]:
    for function, number in blocks:
        for each in plan.functions[function].function.blocks[number].instructions:
            if each.location is not None:
                yield each.location.file, each.location.line


def reproduce(
    path: str,
    options: Options,
    *,
    store: Store | None = None,
    watcher: CheckObserver,
    steers: bool = True,
    strict: bool = False,
) -> Attempt:
    """Search for an execution that fails as the recorded one did. Without ``steers`` paths are no facts, but inputs
    are given. If it's ``strict`` only executions count in which no thread takes another way.

    Raises :class:`~mazurka.errors.MazurkaError` if the recording can't be followed.
    """
    started = time.perf_counter()
    recording, paths = open_recording(path)
    wanted = replace(recorded_failure(recording, paths, path), strict=strict)
    about = recording.about
    target, *others = [os.path.relpath(os.path.join(about["directory"], each)) for each in _files(about)]
    steps = _STEPS * sum(len(each.blocks) for each in paths.threads.values())
    options = replace(options, max_steps=max(options.max_steps, steps))
    program = _FailsAsRecorded(
        target,
        tuple(about["flags"]),
        tuple(about["arguments"]),
        settings_of(options),
        tuple(others),
        paths=paths,
        wanted=wanted,
    )
    program.prepare()
    arguments = (*about["flags"], *others, *(("--", *about["arguments"]) if about["arguments"] else ()))
    loading = {RECORDING: portable_path(os.path.abspath(path))} if paths.gives_inputs else {}
    subject = ProgramSpec(target, arguments, loading)
    paths.steers = steers
    outcome = _searched(program, options, watcher, started)
    others_found = list(program.other_failures.values())[:1]
    answer = Answer.REPRODUCED if outcome.found else Answer.OTHER_FAILURE if others_found else Answer.NOT_FOUND
    builder = FindingBuilder(program, subject, options, store, watcher.note, watcher.explained, outcome.strategy)
    paths.steers, program.filters = False, bool(outcome.found)
    findings, refused = builder.findings(list(outcome.found[:1]) or others_found)
    report = CheckReport(
        target=" ".join((target, *arguments)),
        verdict=Verdict.VIOLATION if findings else Verdict.INCONCLUSIVE,
        reason="" if answer is Answer.REPRODUCED else _reason(outcome, options.memory_model, bool(others_found)),
        strategy=outcome.strategy,
        memory_model=options.memory_model,
        executions=outcome.executions,
        seconds=time.perf_counter() - started,
        complete=outcome.complete,
        untracked=outcome.untracked,
        uncontrolled=outcome.uncontrolled,
        findings=findings,
        notes=(*builder.notes, *outcome.notes),
        inconsistencies=refused,
    )
    return Attempt(answer, report, program.followed)


def _files(about: dict[str, object]) -> list[str]:
    parts = about["parts"]
    assert isinstance(parts, list)
    return [str(about["target"]), *map(str, parts)]


def _searched(program: _FailsAsRecorded, options: Options, watcher: CheckObserver, started: float) -> Outcome:
    """Search until the failure is reproduced, or a limit is reached; by ``auto`` with :data:`_FIRST` at first."""
    if options.strategy != AUTO:
        return _searched_by(options.strategy, program, options, watcher, started, 1.0)
    first = _searched_by(_FIRST, program, options, watcher, started, _PART)
    left = None if options.max_executions is None else options.max_executions - first.executions
    is_over = options.time_limit is not None and time.perf_counter() - started >= options.time_limit
    is_interrupted = first.verdict == Inconclusive("interrupted")
    is_covered = first.complete and not program.other_failures  # executions that fail otherwise end too early
    if first.found or is_covered or is_over or is_interrupted or (left is not None and left <= 0):
        return first
    after = _searched_by(AUTO, program, replace(options, max_executions=left), watcher, started, 1.0)
    return replace(after, executions=first.executions + after.executions, seconds=first.seconds + after.seconds)


def _searched_by(
    strategy: str, program: Program, options: Options, watcher: CheckObserver, started: float, part: float
) -> Outcome:
    """Search by one strategy, for this part of the time."""
    limit = options.time_limit
    left = None if limit is None else max(part * limit - (time.perf_counter() - started), 0.0)
    explorer = Explorer(
        program,
        strategy,
        settings=StrategySettings(options.seed, options.solver),
        budget=Budget(options.max_executions, left, limit),
        interrupted=watcher.interrupted,
        learned=learned_points(program).points,
    )
    for progress in explorer.progress():
        for each in progress.new:
            watcher.found(each)
        watcher.progress(progress.executions, progress.found, progress.estimate.total, progress.deciding)
    assert explorer.outcome is not None
    return explorer.outcome


def _reason(outcome: Outcome, memory_model: str, has_others: bool) -> str:
    """Why the failure was not reproduced."""
    if isinstance(outcome.verdict, Inconclusive):
        return outcome.verdict.reason
    if has_others:
        return "executions end with the first failure that they meet, which was another one"
    return f"no execution under {memory_model} follows the recorded paths to the failure"


@dataclass
class _FailsAsRecorded(CProgram):
    """The program, of whose executions only those fail that fail as the recorded one did; the other failures are kept.
    Unless it ``filters`` all of them are left to the executions. ``followed`` is as in :class:`Attempt`."""

    wanted: RecordedFailure = field(default_factory=lambda: RecordedFailure(frozenset()))
    other_failures: dict[tuple[str, ...], FailingExecution] = field(default_factory=dict)
    followed: float = 0.0
    filters: bool = True

    def execute(self, plan: Plan) -> Run:
        before = frozenset(self.learned.points)
        run = super().execute(plan)
        paths = self.paths
        assert isinstance(paths, FollowedPaths)
        self.followed = max(self.followed, paths.progress())
        if not self.filters:
            return run
        failures, run.failures = run.failures, []
        if run.found_new_points:
            return run  # which lacks steps (program/llvm/ownership.py), and is met again where they are known
        for failure in failures[:1]:  # what comes after it may be its consequence
            if not self._is_wanted(failure, paths):
                found = FailingExecution(failure, run.schedule(), points=before, inputs=run.inputs)
                self.other_failures.setdefault(failure.identity, found)
            elif not paths.steers or self._happens(run, failure, before, paths):
                run.failures.append(failure)
        return run

    def _is_wanted(self, failure: Failure, paths: FollowedPaths) -> bool:
        return (
            self.wanted.is_met(failure, paths) if paths.steers or self.wanted.strict else self.wanted.is_alike(failure)
        )

    def _happens(self, run: Run, failure: Failure, before: frozenset[int], paths: FollowedPaths) -> bool:
        """Whether the order of the threads alone leads to a failure."""
        points = self.learned.points  # the search has this set, too
        after = frozenset(points)
        points.intersection_update(before)
        paths.steers = False
        try:
            again = super().execute(Plan(run.schedule(), strict=False, inputs=run.inputs))
            return failure.identity in [each.identity for each in again.failures if self.wanted.is_met(each, paths)]
        finally:
            points.intersection_update(after)
            points.update(after)
            paths.steers = True
