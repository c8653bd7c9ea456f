"""Points in terms that outlive a process: which sites a schedule takes for points, found again in another one.

A front end numbers its sites file by file. A number holds for the same text under the same front end; so that a
schedule survives an edit elsewhere in a file, or another numbering, a point also carries its function, its line's
text, its column and how many sites of that description precede it. Who teaches a program resolves the description,
and takes the number where nothing fits.

Cost: teaching looks at each site of the files concerned once, some microseconds each.
"""

from __future__ import annotations

import zlib
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final, Protocol, runtime_checkable

from mazurka.program.protocol import Program, Run, Target
from mazurka.replay.anchor import places_of, portable_path, source_text
from mazurka.trace.event import Location

#: Marks by which a program that learns its points says that releases of locks, ends of threads, and looks at the clock
#: are points.
RELEASE_POINTS: Final = -1
END_POINTS: Final = -2
CLOCK_POINTS: Final = -7

#: What looks at the clock touch.
CLOCK: Final[Target] = ("clock",)

#: A front end numbers a site by its file name's checksum above these bits, and a running number from 1 in them.
_NUMBER_BITS: Final = 20
_NUMBER: Final = (1 << _NUMBER_BITS) - 1


class _Learned(Protocol):
    points: set[int]


@runtime_checkable
class Learning(Protocol):
    """A program that learns which sites are points, and so can be taught. Marks of kinds of points are negative."""

    learned: _Learned


@runtime_checkable
class _Preparing(Protocol):
    """A program that only knows its sites once it has been prepared, and those of further modules once it is prepared
    again with the marks of these."""

    def prepare(self) -> None: ...


@dataclass(frozen=True, slots=True, order=True)
class Point:
    """A site that is a point; where ``file`` is empty, ``number`` is the site (or mark) as it is."""

    file: str
    number: int
    function: str = ""
    text: str = ""
    column: int = 0
    occurrence: int = 0  # among the sites of that description in the file, from 0


_Description = tuple[str, str, int]


def points_of(run: Run, program: Program, root: str = "") -> tuple[Point, ...]:
    """The sites that were points in a run, with the program's marks: what another process has to know to repeat it."""
    if not isinstance(program, Learning):
        return ()
    found = {Point("", mark) for mark in program.learned.points if mark < 0}
    by_file: dict[int, set[int]] = {}
    for site in {step.site for step in run.log if step.point and step.site > 0}:
        by_file.setdefault(site >> _NUMBER_BITS, set()).add(site & _NUMBER)
    for base, numbers in by_file.items():
        described = {point.number: point for point in _described(program, base, root)}
        found.update(described.get(each) or Point("", base << _NUMBER_BITS | each) for each in numbers)
    return tuple(sorted(found))


def add_scheduling_points(program: Program, points: Iterable[Point], root: str = "") -> None:
    """Tell a program which sites are points, and that no others are, so that a prefix recorded elsewhere counts the
    same ones."""
    if not isinstance(program, Learning):
        return
    if isinstance(program, _Preparing):
        program.prepare()
    by_file: dict[str, list[Point]] = {}
    for point in points:
        by_file.setdefault(point.file, []).append(point)
    program.learned.points = {point.number for point in by_file.pop("", [])}
    if isinstance(program, _Preparing):
        program.prepare()
    for file, wanted in by_file.items():
        for name in dict.fromkeys((file, *places_of(file, root))):
            base = zlib.crc32(name.encode("utf-8", "surrogatepass"))
            program.learned.points |= _resolved(program, base, wanted, root)


def _resolved(program: Program, base: int, wanted: list[Point], root: str) -> set[int]:
    """The sites of one file that are the wanted points."""
    known = {(each.function, each.text, each.column, each.occurrence): each for each in _described(program, base, root)}
    found = set()
    for point in wanted:
        same = known.get((point.function, point.text, point.column, point.occurrence), point)
        found.add(base << _NUMBER_BITS | same.number)
    return found


def _described(program: Program, base: int, root: str) -> Iterator[Point]:
    """Every site of a file, described."""
    seen: Counter[_Description] = Counter()
    texts: dict[int, str] = {}
    for number, location in _locations(program, base):
        text = texts.setdefault(location.line, source_text(location))
        description = (location.function, text, location.column)
        yield Point(portable_path(location.file, root), number, *description, seen[description])
        seen[description] += 1


def _locations(program: Program, base: int) -> Iterator[tuple[int, Location]]:
    for number in range(1, _NUMBER):
        location = program.location(base << _NUMBER_BITS | number)
        if location is None:
            return
        yield number, location
