"""The data races that a run shows, as findings: one for each pair of source lines (see trace/conflicts.py)."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from typing import Any, Final

from mazurka.program.protocol import Failure, FailureKind, Run
from mazurka.trace.conflicts import Shown, shown
from mazurka.trace.event import Location, Op
from mazurka.trace.ids import SiteNumber
from mazurka.trace.targets import Kind, kind_of

_NOUNS: Final = {Op.READ: "read", Op.WRITE: "write", Op.RMW: "change"}
_USES: Final = {Op.READ: "use", Op.WRITE: "use", Op.RMW: "end"}  # of objects in memory


def races_of(
    run: Run,
    location: Callable[[SiteNumber], Location | None],
    others: Iterable[Shown] = (),
    sections: Collection[int] = (),
) -> Iterator[Failure]:
    """The races of a run, then ``others``, whose accesses are not adjacent; ``location`` gives the place of a site.
    Steps that are atomic ``sections`` do not race with each other."""
    seen = set()
    adjacent = [each for each in shown(run.log) if not (each.first in sections and each.second in sections)]
    for each in (*adjacent, *others):
        places = [location(run.log[step].site) for step in (each.first, each.second)]
        if None in places:
            continue
        failure = _failure(run, each, places, each in adjacent)
        if failure.identity not in seen:
            seen.add(failure.identity)
            yield failure


def _failure(run: Run, race: Shown, places: list[Location | None], adjacent: bool) -> Failure:
    steps = [run.log[number] for number in (race.first, race.second)]
    nouns = _NOUNS if kind_of(race.target) is not Kind.OBJECT else _USES
    one, other = (f"{nouns[op]} by thread {run.tasks[step.task]}" for op, step in zip(race.ops, steps, strict=True))
    return Failure(
        FailureKind.RACE,
        f"data race on {_words(race.target)}: {one} ({_place(places[0])}), {other} ({_place(places[1])})",
        run.tasks[steps[1].task],
        places[1],
        step=race.second + 1,
        against=places[0],
        adjacent=adjacent,
    )


def _place(location: Location | None) -> str:
    return "" if location is None else f"{location.file.replace(chr(92), '/').rpartition('/')[2]}:{location.line}"


def _words(target: Any) -> str:
    """The kind of a target, without the numbers that objects have in one run."""
    match kind_of(target):
        case Kind.ATTRIBUTE if isinstance(target[-1], str):
            return f"attribute {target[-1]}"
        case Kind.ITEM:
            return f"item {_key(target[-1])}"
        case Kind.GLOBAL:
            return f"global {target[1]}.{target[2]}"
        case Kind.VARIABLE if len(target) == 3:
            return f"{target[1]}+{target[2]}" if target[2] else str(target[1])
        case Kind.CELL:
            return "a captured variable"
        case Kind.ATOMIC if len(target) == 3:
            return f"{target[1]}+{target[2]}" if target[2] else str(target[1])
        case Kind.OBJECT if isinstance(target[1], str):
            return target[1]
        case _:
            return " ".join(map(str, target)) if isinstance(target, tuple) else str(target)


def _key(key: Any) -> str:
    """A key in words; keys that are objects are only known by number."""
    return repr(key) if isinstance(key, str | int | bytes) else "of a container"
