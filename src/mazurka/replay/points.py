"""Points in terms that outlive a process: which sites a schedule takes for points, found again in another one.

A front end numbers its sites file by file. A number holds for the same text under the same front end; so that a
schedule survives an edit elsewhere in a file, or another numbering, a point also carries its function, its line's text,
its column and how many sites of that description precede it. The caller that adds the points to a program resolves the
description, and takes the number where nothing fits.

Cost: teaching looks at each site of the files concerned once, some microseconds each.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from mazurka.lazy_dataclass import dataclass
from mazurka.program.protocol import LearnsPoints, Program, Run
from mazurka.replay.anchor import places_of, portable_path, source_text
from mazurka.trace.ids import SiteNumber


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
    """The sites that were points in a run, with the program's marks, by which another process can repeat it."""
    if not isinstance(program, LearnsPoints):
        return ()
    found = {Point("", mark) for mark in program.learned.points if mark < 0}
    by_file: dict[str, set[int]] = {}
    learned = program.learned.points  # operations of primitives are points at other sites, too
    for site in {step.site for step in run.log if step.point and step.site > 0 and step.site in learned}:
        place = program.location(site)
        by_file.setdefault("" if place is None else place.file, set()).add(site)
    for file, sites in by_file.items():
        described = dict(_described(program, file, root))
        found.update(described.get(site) or Point("", site) for site in sites)
    return tuple(sorted(found))


def add_scheduling_points(program: Program, points: Iterable[Point], root: str = "") -> None:
    """Set the sites that are points, and that no others are, so that a prefix recorded elsewhere counts the
    same ones."""
    if not isinstance(program, LearnsPoints):
        return
    program.prepare()
    by_file: dict[str, list[Point]] = {}
    for point in points:
        by_file.setdefault(point.file, []).append(point)
    program.learned.points = {point.number for point in by_file.pop("", [])}
    program.prepare()  # the sites of further modules are known with the marks of these
    for file, wanted in by_file.items():
        for name in dict.fromkeys((file, *places_of(file, root))):
            program.learned.points |= _resolved(program, name, wanted, root)


def _resolved(program: LearnsPoints, file: str, wanted: list[Point], root: str) -> set[SiteNumber]:
    """The sites of one file that are the wanted points."""
    known = {
        (each.function, each.text, each.column, each.occurrence): each for _, each in _described(program, file, root)
    }
    found = set()
    for point in wanted:
        same = known.get((point.function, point.text, point.column, point.occurrence), point)
        found.add(program.site_of(file, same.number))
    return found - {SiteNumber(0)}


def _described(program: LearnsPoints, file: str, root: str) -> Iterator[tuple[int, Point]]:
    """Every site of a file, and its description."""
    seen: Counter[_Description] = Counter()
    texts: dict[int, str] = {}
    for number, site in enumerate(program.sites_of(file), 1):
        location = program.location(site)
        if location is None:
            return
        text = texts.setdefault(location.line, source_text(location))
        description = (location.function, text, location.column)
        yield site, Point(portable_path(location.file, root), number, *description, seen[description])
        seen[description] += 1
