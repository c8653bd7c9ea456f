"""Whether two runs of one plan are equal: a nondeterministic program can't be explored."""

from __future__ import annotations

from collections.abc import Callable

from mazurka.program.protocol import Run, Step
from mazurka.trace.event import Location
from mazurka.trace.targets import kind_of


def difference(first: Run, second: Run, location: Callable[[int], Location | None]) -> str:
    """The first step at which two runs of one plan differ, in words; "" if they do not."""
    for number, (one, other) in enumerate(zip(first.log, second.log, strict=False)):
        if (one.task, one.op, one.site) != (other.task, other.op, other.site):
            return (
                f"the same schedule did different things at step {number}: first {_step_text(first, one, location)}, "
                f"then {_step_text(second, other, location)}"
            )
    if len(first.log) != len(second.log):
        return f"the same schedule took {len(first.log)} steps, then {len(second.log)}"
    if [failure.identity for failure in first.failures] != [failure.identity for failure in second.failures]:
        return "the same schedule failed in different ways"
    return ""


def _step_text(run: Run, step: Step, location: Callable[[int], Location | None]) -> str:
    where = location(step.site)
    name = run.tasks[step.task]
    who = run.labels.get(step.task) or ("main" if name == "0" else f"thread {name}")
    what = run.names.get(step.target) or kind_of(step.target).words.replace("(s)", "")
    return f"{who}: {step.op.name.lower()} of {what}" + (f" at {where}" if where else "")
