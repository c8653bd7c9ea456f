"""Runs a program by a schedule and says whether each step was the recorded one, and the failure the same.

Each point of the run is compared with the recorded one: thread, operation, part of the target, file, line, function.
Where only the line number differs the source text decides, so that an edit elsewhere in the file, or another version
of a library, does not break a schedule. The first difference ends the comparison; later ones mean nothing.

A schedule from a token has no recorded steps; it is only replayed on the program it was made from.
"""

from __future__ import annotations

import platform
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from enum import Enum
from typing import Final

from mazurka.errors import MazurkaError, UsageError
from mazurka.lazy_dataclass import dataclass
from mazurka.program.protocol import Exports, Failure, Plan, Program, Run, learned_points
from mazurka.replay.points import add_scheduling_points
from mazurka.replay.schedule import STANDARD, SavedStep, Schedule, fingerprint, save_steps

#: A run that meets a new shared site goes on with more points than its prefix counted, so it is repeated, at most this
#: often.
_ATTEMPTS: Final = 4


#: The end of a target in words: an attribute, a key, or which of a container's contents.
_PART: Final = re.compile(r"(\.[^\W\d]\w*)?(\[.*\])?( \(\w+\))?$")

#: Keys that are paths: of temporary files, for example, which have another name each time.
_PATHS: Final = re.compile(r"'[^']*/[^']*'")


class Ending(Enum):
    """The result of a replay."""

    REPRODUCED = "reproduced"  # the same failure
    OTHER_FAILURE = "other-failure"  # the same steps, but it failed differently
    NO_FAILURE = "no-failure"  # the same steps, and no failure
    DIVERGED = "diverged"  # a step is not the recorded one


@dataclass(frozen=True, slots=True)
class Difference:
    """The first point (counted from 1) at which a replay differs from the schedule."""

    number: int
    expected: str
    actual: str

    def __str__(self) -> str:
        return f"the replay diverges at point {self.number}\n  expected: {self.expected}\n  actual:   {self.actual}"


@dataclass(frozen=True, slots=True)
class Replay:
    """The result of replaying a schedule ``times`` times; run, failure and difference are those of the last one."""

    schedule: Schedule
    ending: Ending
    run: Run
    failure: Failure | None
    difference: Difference | None
    times: int
    reproduced: int
    program_changed: bool


def replay(program: Program, schedule: Schedule, *, times: int = 1, root: str = "") -> Replay:
    """Run ``program`` by ``schedule`` until it ended ``times`` times in the same failure, or once did not.

    Raises :class:`MazurkaError` for a schedule without steps (a token) that was made from another program.
    """
    changed = program.identity() != schedule.program
    if changed and not schedule.steps:
        raise MazurkaError(
            "schedule-other-program",
            "the token was made from another program, or the source has been changed since",
            where=schedule.target,
            hint="check the program again, or restore the source it was made from",
        )
    add_scheduling_points(program, schedule.points, root)
    reproduced = 0
    for _ in range(max(times, 1)):
        with with_inputs(program, schedule.inputs):
            run, difference = _follow(program, schedule, root)
        failure = _failure_of(run, schedule, root)
        ending = _ending(schedule, failure, difference, root)
        if ending is not Ending.REPRODUCED:
            break
        reproduced += 1
    return Replay(schedule, ending, run, failure, difference, max(times, 1), reproduced, changed)


def exported(program: Program, result: Replay, root: str = "") -> str:
    """The failing execution of a replay as a program in C of its own.

    Raises :class:`UsageError` if there is no failure, or the program or its execution can't be written so.
    """
    if result.failure is None:
        raise UsageError("not-exportable", "the schedule leads to no failure", where=result.schedule.target)
    if not isinstance(program, Exports):
        raise UsageError("not-exportable", "only C programs can be exported", where=result.schedule.target)
    learned_points(program).points.clear()  # the replay may have found more
    add_scheduling_points(program, result.schedule.points, root)
    with with_inputs(program, result.schedule.inputs):
        return program.exported(_plan(result.schedule), result.failure)


@contextmanager
def with_inputs(program: Program, inputs: Mapping[str, int]) -> Iterator[None]:
    """Have all executions made with these unknown inputs."""
    before, program.inputs = program.inputs, inputs
    try:
        yield
    finally:
        program.inputs = before


def _plan(schedule: Schedule) -> Plan:
    return Plan(schedule.prefix, strict=True, detail=True, timing=schedule.timing)


def _follow(program: Program, schedule: Schedule, root: str) -> tuple[Run, Difference | None]:
    plan, points = _plan(schedule), learned_points(program).points
    for _ in range(_ATTEMPTS):
        before = set(points)
        run = program.execute(plan)
        difference = first_difference(run, program, schedule, root)
        if difference is None or not run.found_new_points:
            break
    if difference is None:  # a further replay follows it with the same points, and passes no others
        points &= before
    return run, difference


def first_difference(run: Run, program: Program, schedule: Schedule, root: str = "") -> Difference | None:
    """Where a run first departs from a schedule, if it does."""
    actual = save_steps(run, program, len(run.log), root)
    same_python = schedule.python.split(".")[:2] == platform.python_version().split(".")[:2]
    for number, (recorded, done) in enumerate(zip(schedule.steps, actual, strict=False), 1):
        if not same_step(recorded, done, same_python=same_python):
            return Difference(number, str(recorded), str(done))
    stopped = run.divergence
    if stopped is not None and not stopped.harmless:
        expected = stopped.expected
        if stopped.index < len(schedule.steps):
            expected = str(schedule.steps[stopped.index])
        return Difference(stopped.index + 1, expected, stopped.actual)
    if len(actual) < len(schedule.steps):
        ended = f"the run ended ({run.truncated or 'there was nothing more to do'})"
        return Difference(len(actual) + 1, str(schedule.steps[len(actual)]), ended)
    return None


def same_step(recorded: SavedStep, done: SavedStep, *, same_python: bool = True) -> bool:
    """Whether a step is the recorded one; a moved line is the same if its text is.

    Another Python has its own standard library: of steps in there only thread and operation are compared then.
    """
    if (recorded.thread, recorded.operation) != (done.thread, done.operation):
        return False
    if not same_python and recorded.file.startswith(STANDARD) and done.file.startswith(STANDARD):
        return True
    if _part(recorded) != _part(done):
        return False
    if _name(recorded.file) != _name(done.file) or not _same_function(recorded.function, done.function):
        return False
    return recorded.text == done.text if recorded.text and done.text else recorded.line == done.line


def _part(step: SavedStep) -> str:
    """The part of an object that a step accesses. The object's own name depends on the variables that hold it."""
    found = _PART.search(_PATHS.sub("''", step.target))
    return found.group() if found is not None else ""


def _same_function(one: str, other: str) -> bool:
    """Comprehensions are functions of their own in Python 3.11 only (PEP 709)."""
    return one == other or "comp>" in one or "comp>" in other


def _name(file: str) -> str:
    """A file's own name: the directory may be another one on another machine."""
    return file.rpartition("/")[2]


def _failure_of(run: Run, schedule: Schedule, root: str) -> Failure | None:
    """The failure that the schedule is about, else the first of the run."""
    for failure in run.failures:
        if fingerprint(failure, root) == schedule.failure.fingerprint:
            return failure
    return run.failures[0] if run.failures else None


def _ending(schedule: Schedule, failure: Failure | None, difference: Difference | None, root: str) -> Ending:
    if difference is not None:
        return Ending.DIVERGED
    if failure is None:
        return Ending.NO_FAILURE
    same = fingerprint(failure, root) == schedule.failure.fingerprint
    return Ending.REPRODUCED if same else Ending.OTHER_FAILURE
