"""The first executions of a search, as paths of an exploration tree: the choices at each scheduling point.

A path has the steps at scheduling points, the threads that could have moved at each, and those in its sleep set there,
if the strategy has such sets. At most :data:`MOST` executions with :data:`MOST_STEPS` steps are kept, those that this
process makes before others take part: the trees of small searches are to be looked at.

Cost: some microseconds for each of these executions, and a tuple for each of their steps.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from mazurka.lazy_dataclass import dataclass
from mazurka.program.protocol import Run
from mazurka.trace.event import Op
from mazurka.trace.ids import SiteNumber

#: The most executions, and steps of all of them, that are kept.
MOST: Final = 200
MOST_STEPS: Final = 6_000


class PathStep(NamedTuple):
    """A step at a scheduling point: its thread, the threads that could have moved (only if several could), and the
    sleep set before it."""

    thread: str
    op: Op
    site: SiteNumber
    enabled: tuple[str, ...]
    asleep: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ExploredPath:
    """An execution: its steps at scheduling points, the names that the program gave its threads, and its end in a few
    words ("": as usual)."""

    steps: tuple[PathStep, ...]
    labels: tuple[tuple[str, str], ...]
    ending: str = ""
    failing: bool = False


def path_of(run: Run, asleep: Sequence[tuple[str, ...]]) -> ExploredPath:
    """The path of a run; ``asleep`` are the sleep sets on it, from its first point on."""
    tasks = run.tasks
    enabled = {point: tuple([tasks[each] for each in able]) for point, _, able in run.decisions()}
    steps = []
    for point, entry in enumerate([entry for entry in run.entries() if entry[4]]):  # no `Step` is made
        before = asleep[point] if point < len(asleep) else ()
        steps.append(PathStep(tasks[entry[0]], entry[1], SiteNumber(entry[3]), enabled.get(point, ()), before))
    labels = tuple([(tasks[index], label) for index, label in run.labels.items()])
    return ExploredPath(tuple(steps), labels, _ending(run), bool(run.failures))


def _ending(run: Run) -> str:
    if run.divergence is not None:
        return "the schedule could not be followed"
    if run.failures:
        return run.failures[0].message
    if run.truncated:
        return run.truncated
    return "its threads go round in loops" if run.settled else ""


def kept(paths: Sequence[ExploredPath]) -> int:
    """How many further executions are kept."""
    return 0 if sum(len(path.steps) for path in paths) >= MOST_STEPS else max(MOST - len(paths), 0)
