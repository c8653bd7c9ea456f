"""One execution of a program, as a trace: for programs whose front end has no recorder of real threads.

The threads are scheduled at random, by a seed. All accesses of shared locations after the first fork are events.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final, NamedTuple

from mazurka.program.protocol import Plan, Program, Run, TailPolicy
from mazurka.trace.event import Location
from mazurka.trace.ids import SiteNumber
from mazurka.trace.trace import Trace, trace_of

#: Executions by which scheduling points are learnt, at most.
_ROUNDS: Final = 8


class RecordedRun(NamedTuple):
    """An execution, and the trace of it."""

    run: Run
    trace: Trace


def record_run(program: Program, seed: int) -> RecordedRun:
    """Execute a program once it has learnt its scheduling points."""
    program.prepare()
    for _ in range(_ROUNDS):
        run = program.execute(Plan(tail=TailPolicy.RANDOM, seed=seed, strict=False, detail=True))
        if not run.found_new_points:
            break
    trace = trace_of(run.tasks, run.log)
    places = _places(program, run)
    numbers = {site: number for number, site in enumerate(places)}
    site = type(trace.site)("q", [numbers.get(each, -1) for each in trace.site])  # type: ignore[arg-type]
    targets = [(target[0], run.names.get(target, " ".join(map(str, target[1:])))) for target in trace.targets]
    if len(set(targets)) < len(targets):
        targets = list(trace.targets)
    return RecordedRun(run, replace(trace, site=site, targets=tuple(targets), locations=tuple(places.values())))


def _places(program: Program, run: Run) -> dict[int, Location]:
    """The locations of the sites in a run."""
    found: dict[int, Location] = {}
    for step in run.log:
        if step.site not in found and (place := program.location(SiteNumber(step.site))) is not None:
            found[step.site] = place
    return found


def in_words(run: Run) -> Sequence[str]:
    """All that the trace does not show."""
    return [*run.untracked, *run.uncontrolled, *([run.truncated] if run.truncated else [])]
