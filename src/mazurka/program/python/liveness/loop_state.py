"""A thread's own state at the head of each iteration of a ``while`` loop (only with :attr:`Plan.values`).

Two passes of one loop that begin in the same state of the thread go on alike for as long as their reads see the same
values: strategies that learn from runs take them for one pass (explore/thread_models/run_learner.py), so that an
endless loop has finitely many states. The state is

- the frame's variables, as value keys. The state of the frames that called it is the same in every pass of a loop;
- how often the thread has had an effect that no step shows: called code that is not instrumented, looked at its clock,
  advanced an iterator; and how many threads it has started;
- its writes to locations that no other thread accesses. The learner counts these.

A pass is logged as a BRANCH of the target ``("pass", site, number of the loop in the thread)``; its value is the state,
or None if it is unknown: where a variable holds an object that may change without a step (an iterator, an array).

Where a pass begins as an earlier one did, other threads go first, in turn; and when all threads that are left have gone
round like that for long enough after the plan's prefix, the run ends (:attr:`Run.settled`): a later plan may go on from
there, if the writes of a thread show that it makes progress.

Cost: a microsecond per pass and variable.
"""

from __future__ import annotations

import types
from typing import Any, Final

from mazurka.program.python.frame_variables import variables_of
from mazurka.program.python.semantics.objects import value_key
from mazurka.program.python.semantics.shown import is_shown
from mazurka.trace.event import Op
from mazurka.trace.targets import PASS

#: After so many passes in succession that begin as earlier ones did, nothing else will happen.
_ENOUGH: Final = 64

#: After so many, the next step of the plan's prefix won't happen.
_MORE_THAN_ENOUGH: Final = 10_000

#: States kept per thread, and variables looked at.
_MOST: Final = 10_000
_MOST_VARIABLES: Final = 200


def begin(run: Any, loop: Any, frame: types.FrameType, site: int) -> None:
    """The running thread begins a pass of ``loop``, which ``frame`` is in."""
    task = run.current
    state = _state(frame)
    value = None if state is None else (task.silent, task.births, state)
    run.log.append((task.index, Op.BRANCH, (PASS, site, loop.number), site, False, value, ()))
    if value is None or (site, value) not in task.passes:
        run.turns = 0
    if value is None or len(task.passes) > _MOST:
        return
    if not task.passes:
        task.passes = set()
    task.passes.add((site, value))
    if value not in loop.states:
        loop.states.add(value)  # a loop reached again, perhaps in an iteration of another
        return
    task.turned = True
    if not run.past and run.scheduler.is_past_prefix():
        run.past, run.turns = True, 0
    run.turns += 1
    if run.turns > (_ENOUGH if run.past else _MORE_THAN_ENOUGH):
        run.settled = True
        task.pending = None  # it stands before nothing
        run.stop()


def _state(frame: types.FrameType) -> tuple[Any, ...] | None:
    variables = variables_of(frame)
    if len(variables) > _MOST_VARIABLES or not all(map(is_shown, variables.values())):
        return None
    return tuple([(name, value_key(value)) for name, value in variables.items()])
