"""Passes of loops: one that would repeat the one before it is not made until something changes.

At the head of a loop a thread is about to repeat itself if, since it was last there, it has had no effect (nothing
written, no clock read), its variables are the same, and every location that it read still has the value that it read.
Then it is held until one of these locations is written; if it read none at all, for ever.

Locks that it took and then released are no effect if all other threads just wait for locks: the others go on in the
same way with such a pass and without it. Where any thread tries a lock, or looks at one, it could notice the pass.

With :attr:`Plan.values` the thread's own state at each head is logged, too. Two passes of one loop that begin in the
same state of the thread go on alike for as long as their reads see the same values: strategies that learn from runs
take them for one pass (explore/thread_models/run_learner.py), so that an endless loop has finitely many states. The
state is

- the variables, as a front end knows them. The state of the functions that called this one is the same in every pass;
- how often the thread has had an effect that no step shows: called code that is not tracked, looked at its clock,
  advanced an iterator; and how many threads it has started;
- its writes to locations that no other thread accesses. The learner counts these.

A pass is logged as a BRANCH of the target ``("pass", site, number of the loop in the thread)``; its value is the state,
or None if it is unknown. Where a pass begins as an earlier one did, other threads go first, in turn; and when all
threads that are left have gone round like that for long enough after the plan's prefix, the run ends
(:attr:`Run.settled`): a later plan may go on from there, if the writes of a thread show that it makes progress.

Cost: a few look-ups for a pass that has effects; those and the variables for one that has none.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any, Final, Protocol

from mazurka.program.runtime.task import MISUSE_POINTS, RELEASE_POINTS
from mazurka.trace.event import Op
from mazurka.trace.targets import PASS

#: So many loops or reads mean that loops were left unnoticed, or never end: all are forgotten.
_TOO_MANY_LOOPS: Final = 16
_TOO_MANY_READS: Final = 20_000

#: After so many passes others go first, where nothing else decides: a loop may wait for them though it has effects.
_FAIR: Final = 64

#: After so many passes in succession that begin as earlier ones did, nothing else will happen.
_ENOUGH: Final = 64

#: After so many, the next step of the plan's prefix won't happen.
_MORE_THAN_ENOUGH: Final = 10_000

#: States kept per thread.
_MOST: Final = 10_000


class Frames(Protocol):
    """A front end's knowledge of the frame that a loop is in."""

    def variables(self, frame: Any) -> Any:
        """The variables of a frame at this moment."""
        ...

    def same(self, before: Any, now: Any) -> bool:
        """Whether variables are the same as they were (``before`` may be None: unknown)."""
        ...

    def state(self, frame: Any) -> Hashable:
        """A key for the values of the variables; None if it is unknown."""
        ...

    def prune(self, task: Any, frame: Any) -> None:
        """Forget loops of the thread that it has left."""
        ...


class Loop:
    """A thread's effects and reads when it was last at the loop's head."""

    __slots__ = ("begun", "effects", "frame", "lock_mark", "mark", "number", "passes", "states", "variables")

    def __init__(self, frame: Any, task: Any, variables: Any) -> None:
        self.frame = frame  # kept, so that its id is not reused
        self.effects = _effects(task)
        self.mark = len(task.reads)
        self.lock_mark = len(task.lock_steps)
        self.variables = variables
        self.number = task.entered
        self.passes = 0
        self.begun = 0  # the length of the log when its last pass began
        self.states: set[Any] = set()  # values: the states that its passes began in


def begin_pass(run: Any, key: tuple[int, int], frame: Any, frames: Frames) -> None:
    """The running thread begins a pass of the loop ``key`` (a number of the frame, a site); hold it if the pass would
    repeat the last one."""
    task = run.current
    loop = task.loops.get(key)
    if loop is None:
        run.be_careful()  # from now on the changes that steps make are counted
        if len(task.loops) >= _TOO_MANY_LOOPS:
            frames.prune(task, frame)
        task.entered += 1
        loop = Loop(frame, task, frames.variables(frame))
        task.begin_loop(key, loop)
        loop.begun = len(run.log)
        if run.values:
            _log_state(run, loop, key[1], frames.state(frame))
        return
    loop.begun = len(run.log)
    if run.values:
        _log_state(run, loop, key[1], frames.state(frame))
    loop.passes += 1
    if not loop.passes % _FAIR:
        task.turned = True
        if run.may_hold is False:
            run.may_hold = True
    had_effects = _has_had_effects(run, task, loop)
    loop.effects, loop.lock_mark = _effects(task), len(task.lock_steps)
    if had_effects:
        if len(task.reads) > _TOO_MANY_READS:
            task.loops.clear()
            forget(task)
        if len(task.loops) == 1:
            forget(task)
        loop.mark, loop.lock_mark, loop.variables = len(task.reads), len(task.lock_steps), None
        return
    reads = dict(task.reads[loop.mark :])
    versions = run.accounts.versions
    loop.mark = len(task.reads)
    variables = frames.variables(frame)
    if run.may_hold is False and frames.same(loop.variables, variables):
        run.may_hold = True
    if all(versions.get(target, 0) == version for target, version in reads.items()) and frames.same(
        loop.variables, variables
    ):
        run.pause(lambda: any(versions.get(target, 0) != version for target, version in reads.items()), tuple(reads))
        loop.mark = len(task.reads)
    loop.variables = variables


def leave(task: Any, key: tuple[int, int]) -> None:
    """A thread has come out of a loop."""
    task.loops.pop(key, None)
    if not task.loops:
        forget(task)


def forget(task: Any) -> None:
    """A thread is in no loop: its reads do not matter any more."""
    task.reads.clear()
    task.lock_steps.clear()


def _has_had_effects(run: Any, task: Any, loop: Loop) -> bool:
    """Whether a thread, since it was last at the loop's head, has done more than to take locks and release them."""
    number = _effects(task) - loop.effects
    if not number:
        return False
    steps = task.lock_steps[loop.lock_mark :]
    if number != len(steps) or RELEASE_POINTS in run.points or MISUSE_POINTS in run.points:
        return True
    held: dict[Any, int] = {}
    for target, change in steps:
        held[target] = held.get(target, 0) + change
        if held[target] < 0:  # a lock that it held before has been released
            return True
    return any(held.values())


def _effects(task: Any) -> int:
    effects: int = task.effects + task.silent
    return effects


def _log_state(run: Any, loop: Loop, site: int, state: Any) -> None:
    """Log the state in which the running thread begins a pass."""
    task = run.current
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
