"""A schedule: one interleaving of one program, saved so that it can be run again and checked step by step.

It holds the plan (the thread that moves at each point), the expected steps (each point's thread, operation, target,
place and source line) and the expected failure. Steps are anchored in source terms, so a schedule means the same in
another process, directory and Python version.

Which places are points is learnt while exploring, and a prefix counts points; therefore a schedule names the sites
that were points in its run, to be taught to the program before it is replayed.
"""

from __future__ import annotations

import hashlib
import platform
from collections import Counter
from collections.abc import Mapping
from dataclasses import field, replace
from typing import Final

from mazurka.lazy_dataclass import dataclass
from mazurka.program.protocol import Failure, Program, Run
from mazurka.replay.anchor import (
    is_standard,
    portable_location,
    source_text,
    step_location,
    target_in_words,
)
from mazurka.replay.points import Point, points_of
from mazurka.replay.switches import prefix_until, steps_until
from mazurka.trace.event import Location

#: The version of the file format and of the token; a reader refuses any other.
FORMAT: Final = 1


#: Among a schedule's options: the timing of its run's plan, where that had one.
TIMING: Final = "timing"

#: Among a schedule's options: the values of the unknown inputs of its run, by name, where it had any.
INPUTS: Final = "inputs"

#: Marks files of the standard library, which every Python version has its own of.
STANDARD: Final = "lib/python/"


@dataclass(frozen=True, slots=True)
class SavedStep:
    """One point of the recorded run in source terms.

    ``occurrence`` counts, from 1, how often this thread has done this operation at this place.
    """

    thread: str
    operation: str
    target: str
    file: str
    line: int
    function: str
    text: str
    occurrence: int

    def __str__(self) -> str:
        place = f"{self.file}:{self.line}" if self.file else "an unknown place"
        text = f": {self.text}" if self.text else ""
        again = f" (time {self.occurrence})" if self.occurrence > 1 else ""
        return f"thread {self.thread}, {self.operation} of {self.target}, at {place}{text}{again}"


@dataclass(frozen=True, slots=True)
class SavedFailure:
    """The failure that a schedule leads to; equal ``fingerprint`` means the same bug, on any machine."""

    kind: str
    message: str
    thread: str
    location: str
    exception: str
    fingerprint: str


@dataclass(frozen=True, slots=True)
class Schedule:
    """One saved interleaving.

    ``target`` is the target of the check (``path``, ``path::function`` or a pytest node id), ``program`` the program's
    identity, ``options`` everything else that is needed to load the program the same way, ``points`` the sites that
    were points. ``steps`` is empty for a schedule that came from a token.
    """

    target: str
    arguments: tuple[str, ...]
    program: str
    prefix: tuple[str, ...]
    failure: SavedFailure
    steps: tuple[SavedStep, ...] = ()
    points: tuple[Point, ...] = ()
    strategy: str = "mcr"
    memory_model: str = "sc"
    python: str = field(default_factory=platform.python_version)
    options: Mapping[str, object] = field(default_factory=dict)

    @property
    def timing(self) -> float | None:
        """That of the run's plan."""
        kept = self.options.get(TIMING)
        return kept if kept is None else float(str(kept))

    @property
    def inputs(self) -> Mapping[str, int]:
        """Those of the run."""
        kept = self.options.get(INPUTS)
        return {str(name): int(value) for name, value in kept.items()} if isinstance(kept, Mapping) else {}

    @property
    def short_hash(self) -> str:
        """Names the bug, not the interleaving: the same bug found again is saved under the same name."""
        return hashlib.sha256(f"{self.target}\0{self.failure.fingerprint}".encode()).hexdigest()[:12]


def fingerprint(failure: Failure, root: str = "") -> str:
    """A failure's identity without the machine, the directory, and the line numbers that an edit elsewhere moves."""
    if failure.waiting:
        stuck = sorted(f"{_place(each.location, root)} {_place(each.held_since, root)}" for each in failure.waiting)
        parts = [failure.kind.value, *stuck]
    elif failure.is_race:
        parts = [failure.kind.value, *sorted(_place(each, root) for each in (failure.location, failure.against))]
    elif failure.events:
        places = {f"{each.event} {_place(each.location, root)}" for each in failure.events}
        parts = [failure.kind.value, failure.rule, *sorted(places)]
    else:
        parts = [failure.kind.value, failure.exception, _place(failure.location, root)]
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:16]


def _place(location: Location | None, root: str) -> str:
    named = portable_location(location, root)
    if named is None:
        return ""
    return f"{named.file.rpartition('/')[2]} {source_text(location) or named.line}"


def save_failure(failure: Failure, root: str = "") -> SavedFailure:
    """The identity of the failure that a schedule leads to."""
    return SavedFailure(
        failure.kind_name,
        failure.message,
        failure.thread,
        str(portable_location(failure.location, root) or ""),
        failure.exception,
        fingerprint(failure, root),
    )


def save_steps(run: Run, program: Program, end: int, root: str = "") -> tuple[SavedStep, ...]:
    """The points among the first ``end`` steps of a run, in source terms; the run must have been made with detail."""
    seen: Counter[tuple[object, ...]] = Counter()
    steps = []
    for index, step in enumerate(run.log[:end]):
        if not step.point:
            continue
        location = step_location(run, program, index)
        place = portable_location(location, root) or Location("", 0)
        if location is not None and is_standard(location.file):
            place = replace(place, file=STANDARD + place.file)
        thread, operation = run.tasks[step.task], step.op.name.lower()
        key = (thread, operation, place.file, place.line)
        seen[key] += 1
        words = target_in_words(step.target, run.names)
        steps.append(
            SavedStep(
                thread, operation, words, place.file, place.line, place.function, source_text(location), seen[key]
            )
        )
    return tuple(steps)


def record_schedule(
    run: Run,
    program: Program,
    failure: Failure,
    *,
    target: str,
    arguments: tuple[str, ...] = (),
    strategy: str = "mcr",
    memory_model: str = "sc",
    options: Mapping[str, object] | None = None,
    points: tuple[Point, ...] | None = None,
    root: str = "",
) -> Schedule:
    """Save the schedule that led to ``failure`` in a run made with detail.

    ``points`` are the sites to teach the program before a replay; by default those which were points in this run.
    """
    end = steps_until(run, failure)
    if points is None:
        points = points_of(run, program, root)
    return Schedule(
        target=target,
        arguments=arguments,
        program=program.identity(),
        prefix=prefix_until(run, failure),
        failure=save_failure(failure, root),
        steps=save_steps(run, program, end, root),
        points=points,
        strategy=strategy,
        memory_model=memory_model,
        options=dict(options or {}),
    )
