"""A run of event loops with their tasks as threads, for explanations.

The steps of a thread while it runs a task of its loop are those of a thread of that task's name, and what comes from
outside, such as a timer that is due, is by one more thread. What a loop does by itself is left out.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from mazurka.program.protocol import Failure, Run
from mazurka.trace.event import Op
from mazurka.trace.ids import StepIndex, ThreadIndex
from mazurka.trace.targets import NOTHING, Kind, of_kinds

_is_of_loop: Final = of_kinds(Kind.LOOP)

#: The name of the thread that timers and data come by.
OUTSIDE: Final = "loop"

_OUTSIDE_LABEL: Final = "event loop"


def in_lanes(run: Run, failure: Failure) -> tuple[Run, Failure]:
    """The run and its failure with tasks as threads; the same objects if it runs no tasks."""
    if not run.lanes:
        return run, failure
    tasks, labels = list(run.tasks), dict(run.labels)
    names: dict[tuple[ThreadIndex, str], ThreadIndex] = {}

    def thread_of(owner: ThreadIndex, name: str, label: str) -> ThreadIndex:
        if (owner, name) not in names:
            names[owner, name] = ThreadIndex(len(tasks))
            tasks.append(f"{run.tasks[owner]}/{name}")
            labels[names[owner, name]] = label
        return names[owner, name]

    at: dict[ThreadIndex, ThreadIndex] = {}
    log, changes = [], iter([*run.lanes, None])
    change = next(changes)
    for index, step in enumerate(run.log):
        while change is not None and change[0] <= index:
            _, owner, name = change
            at[owner] = thread_of(owner, name, name) if name else owner
            change = next(changes)
        task = at.get(step.task, step.task)
        if step.task in run.arrivals:
            task = thread_of(ThreadIndex(0), OUTSIDE, _OUTSIDE_LABEL)
        elif _is_of_loop(step.target):
            step = step._replace(op=Op.NOP, target=NOTHING, more=())
        log.append(step._replace(task=task))
    shown = Run(tasks, log, [])
    for field in Run.__dataclass_fields__:
        if field not in ("tasks", "log", "choices"):
            setattr(shown, field, getattr(run, field))
    shown.labels = labels
    thread = names.get((ThreadIndex(run.tasks.index(failure.thread)), _lane_of(run, failure)))
    if thread is not None:
        ends = [step for step, *_ in run.lanes if step > _last_step(run, failure)]
        failure = replace(failure, thread=tasks[thread], step=ends[0] if ends else failure.step)
    by_label = {label: tasks[task] for task, label in labels.items()}
    waiting = tuple(
        [
            replace(each, thread=by_label.get(each.thread, each.thread), held_by=by_label.get(each.held_by or ""))
            if each.thread in by_label
            else each
            for each in failure.waiting
        ]
    )
    return shown, replace(failure, waiting=waiting)


def _last_step(run: Run, failure: Failure) -> StepIndex:
    """The step from which the task that has failed has run last."""
    name = _lane_of(run, failure)
    return next((step for step, _, lane in reversed(run.lanes) if lane == name), StepIndex(failure.step))


def _lane_of(run: Run, failure: Failure) -> str:
    """The name of the task that has failed: the last one that ran a function of the traceback, since the loop raises
    its error again in the end."""
    functions = {frame.location.function.rpartition(".")[2] for frame in failure.frames}
    before = [name for step, owner, name in run.lanes if run.tasks[owner] == failure.thread and step <= failure.step]
    return next((name for name in reversed(before) if name.rpartition("(")[2].rstrip(")") in functions), "")
