"""A schedule: one interleaving of one program, saved so that it can be run again and checked step by step.

It holds what a plan needs (the thread that moves at each point), what tells whether the replay still follows (each
point's thread, operation, target, place and source line) and what is expected in the end (the failure). Steps are
anchored in source terms, so a schedule means the same in another process, directory and Python version.

Which places are points is learnt while exploring, and a prefix counts points; therefore a schedule names the sites
that were points in its run, to be taught to the program before it is replayed.
"""

from __future__ import annotations

import hashlib
import platform
import zlib
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final, Protocol, runtime_checkable

from mazurka.program.protocol import Failure, Program, Run
from mazurka.replay.anchor import (
    places_of,
    portable_location,
    portable_path,
    source_text,
    step_location,
    target_in_words,
)
from mazurka.replay.switches import prefix_until, steps_until
from mazurka.trace.event import Location

#: Marks by which a program that learns its points says that releases of locks, and ends of threads, are points.
RELEASE_POINTS: Final = -1
END_POINTS: Final = -2

#: A site in terms that hold on any machine: its file's portable name and its number there ("": the site as it is).
Point = tuple[str, int]

#: A front end numbers a site by its file name's checksum above these bits, and a running number in them.
_NUMBER_BITS: Final = 20
_NUMBER: Final = (1 << _NUMBER_BITS) - 1


class _Learned(Protocol):
    points: set[int]


@runtime_checkable
class Learning(Protocol):
    """A program that learns which sites are points, and so can be taught. Marks of kinds of points are negative."""

    learned: _Learned


#: The version of the file format and of the token; a reader refuses any other.
FORMAT: Final = 1


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

    ``target`` is what was checked (``path``, ``path::function`` or a pytest node id), ``program`` the program's
    identity, ``options`` whatever else is needed to load the program the same way, ``points`` the sites that were
    points. ``steps`` is empty for a schedule that came from a token.
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
    def short_hash(self) -> str:
        """Names the bug, not the interleaving: the same bug found again is saved under the same name."""
        return hashlib.sha256(f"{self.target}\0{self.failure.fingerprint}".encode()).hexdigest()[:12]


def fingerprint(failure: Failure, root: str = "") -> str:
    """A failure's identity without the machine, the directory, and the line numbers that an edit elsewhere moves."""
    if failure.waiting:
        stuck = sorted(f"{_place(each.location, root)} {_place(each.held_since, root)}" for each in failure.waiting)
        parts = [failure.kind.value, *stuck]
    else:
        parts = [failure.kind.value, failure.exception, _place(failure.location, root)]
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:16]


def _place(location: Location | None, root: str) -> str:
    named = portable_location(location, root)
    if named is None:
        return ""
    return f"{named.file.rpartition('/')[2]} {_plain(named.function)} {source_text(location) or named.line}"


def _plain(function: str) -> str:
    """A function's own name: whether the class is named with it depends on who looked."""
    return function.rpartition(".")[2]


def save_failure(failure: Failure, root: str = "") -> SavedFailure:
    """What a schedule keeps of the failure it leads to."""
    return SavedFailure(
        failure.kind.value,
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


def points_of(run: Run, program: Program, root: str = "") -> tuple[Point, ...]:
    """The sites that were points in a run, with the program's marks: what another process has to know to repeat it."""
    found: set[Point] = set()
    for site in {step.site for step in run.log if step.point and step.site}:
        location = program.location(site)
        found.add((portable_path(location.file, root), site & _NUMBER) if location is not None else ("", site))
    if isinstance(program, Learning):
        found.update(("", point) for point in program.learned.points if point < 0)
    return tuple(sorted(found))


def sites_of(points: Iterable[Point], root: str = "") -> set[int]:
    """The same sites as this process numbers them.

    A file may be known by its name as given, by its absolute one, or by where it is installed; teaching a program all
    of them does no harm, as only one of them exists in it.
    """
    sites = set()
    for file, number in points:
        if not file:
            sites.add(number)
            continue
        for name in dict.fromkeys((file, *places_of(file, root))):
            sites.add(zlib.crc32(name.encode("utf-8", "surrogatepass")) << _NUMBER_BITS | number)
    return sites


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
    """Save what led to ``failure`` in a run made with detail.

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
