"""One execution of a program, as a trace: for programs whose front end has no recorder of real threads.

The threads are scheduled at random, by a seed. All accesses of shared locations after the first fork are events.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final, NamedTuple

from mazurka.program.protocol import Access, Plan, Program, Run, Step, TailPolicy
from mazurka.program.runtime.recorded_events import with_events
from mazurka.properties.property import Property
from mazurka.trace.columns import parts_of
from mazurka.trace.event import Location, Op
from mazurka.trace.formats.format import named
from mazurka.trace.ids import SiteNumber, StepIndex
from mazurka.trace.targets import Kind, kind_of
from mazurka.trace.trace import Trace, trace_of
from mazurka.trace.writing import write_trace
from mazurka.workflows import recorded_properties
from mazurka.workflows.recorded_properties import keep_properties

#: The end of a recording's name.
RECORDING: Final = ".recording"

#: The description of the program in a recording.
DESCRIPTION: Final = recorded_properties.DESCRIPTION

#: Executions by which scheduling points are learnt, at most.
_ROUNDS: Final = 32


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
    else:
        run.untracked["accesses of objects that were not known to be shared"] = 1
    trace = trace_of(run.tasks, _as_recorded(list(with_events(_with_attempts(run), run.events))))
    places = _places(program, run)
    numbers = {site: number for number, site in enumerate(places)}
    site = type(trace.site)("q", [numbers.get(each, -1) for each in trace.site])  # type: ignore[arg-type]
    targets = [(target[0], run.names.get(target, " ".join(map(str, target[1:])))) for target in trace.targets]
    if len(set(targets)) < len(targets):
        targets = list(trace.targets)
    return RecordedRun(run, replace(trace, site=site, targets=tuple(targets), locations=tuple(places.values())))


def _with_attempts(run: Run) -> list[Step]:
    """The steps of a run, those that take a lock within a time as attempts, too."""
    return [
        step._replace(more=(*step.more, Access(Op.REQUEST, step.target)))
        if step.op is Op.ACQUIRE and StepIndex(number) in run.bounded
        else step
        for number, step in enumerate(run.log)
    ]


def _as_recorded(steps: Sequence[Step]) -> Iterator[Step]:
    """The steps as a recorder of real threads has them.

    Locks that a thread gives back before any thread has taken them were taken before the first fork, from which on
    steps are logged: taking them comes first. An attempt that takes a lock looks at it first: where it is not free
    the thread does not wait.
    """
    met = set()
    for step in steps:
        for op, target in ((step.op, step.target), *[(each.op, each.target) for each in step.more]):
            if op is Op.RELEASE and kind_of(target) is Kind.LOCK and target not in met:
                yield Step(step.task, Op.ACQUIRE, target, SiteNumber(0), False, None, ())
            if op in (Op.ACQUIRE, Op.RELEASE):
                met.add(target)
    for step in steps:
        attempt = Access(Op.REQUEST, step.target)
        if step.op is Op.ACQUIRE and attempt in step.more:
            yield step._replace(op=Op.READ, more=(attempt,))
            step = step._replace(more=tuple([each for each in step.more if each != attempt]))
        yield step


def write_recording(
    recorded: RecordedRun, directory: Path, known: Mapping[str, object], properties: Sequence[Property]
) -> None:
    """Write a trace, with a description of the program and the properties whose events it has, to a directory."""
    directory.mkdir(parents=True)
    (directory / DESCRIPTION).write_text(json.dumps(known, indent=1) + "\n", encoding="utf-8")
    keep_properties(directory, properties)
    write_trace(parts_of(recorded.trace), directory / "000000.parquet", named("parquet"))


def _places(program: Program, run: Run) -> dict[int, Location]:
    """The locations of the sites in a run."""
    found: dict[int, Location] = {}
    for site in (each.site for each in (*run.log, *run.events)):
        if site not in found and (place := program.location(SiteNumber(site))) is not None:
            found[site] = place
    return found


def in_words(run: Run) -> Sequence[str]:
    """All that the trace does not show."""
    return [*run.untracked, *run.uncontrolled, *([run.truncated] if run.truncated else [])]
