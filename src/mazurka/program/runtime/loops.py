"""Passes of loops: one that would repeat the one before it is not made until something changes.

At the head of a loop a thread is about to repeat itself if, since it was last there, it has had no effect (nothing
written, no clock read), its variables are the same, and every location that it read still has the value that it read.
Then it is held until one of these locations is written; if it read none at all, for ever.

Locks that it took and then released are no effect if all other threads just wait for locks: the others go on in the
same way with such a pass and without it. Where any thread tries a lock, or looks at one, it could notice the pass.

Code of the standard library that no step shows reads and writes its objects in critical sections of locks of their own:
a pass with such a section reads all that a section of another thread may have written (:class:`Section`), except one in
a pass that was itself found to change nothing.

A pass that polls may give back a lock while it sleeps or is parked, and take it again: it has undone its effects, too.
The next pass is then held in its sleep or wait, where others can take the lock, or notify it: neither ends by time
until a location that the pass read is written (:class:`Repetition`).

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
from enum import Enum, auto
from typing import Any, Final, Protocol

from mazurka.program.runtime.step_metadata import Section
from mazurka.program.runtime.task import MISUSE_POINTS, RELEASE_POINTS
from mazurka.trace.event import Op
from mazurka.trace.targets import PASS, Kind, Target, kind_of

#: So many loops or reads mean that loops were left unnoticed, or never end: all are forgotten.
_TOO_MANY_LOOPS: Final = 16
_TOO_MANY_READS: Final = 20_000

#: After so many passes others go first, where nothing else decides: a loop may wait for them though it has effects.
_FAIR: Final = 64

#: After so many passes in succession that begin as earlier ones did, nothing else will happen.
_ENOUGH: Final = 64

#: After so many, the next step of the plan's prefix won't happen.
_MORE_THAN_ENOUGH: Final = 10_000

#: Locations that say which threads are parked.
_PARKS: Final = frozenset({Kind.CONDITION, Kind.PARKED})

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


class _Effects(Enum):
    """What a pass has left."""

    NONE = auto()
    UNDONE = auto()  # other threads could have noticed it in between, or may have to move in between
    LASTING = auto()


class Repetition:
    """The present pass of a loop, which repeats the last one as long as the locations that it reads do not change."""

    __slots__ = ("_is_alone", "_lock_steps", "_never_parks", "_run", "_seen", "_task", "_versions", "loop", "reads")

    def __init__(
        self, run: Any, loop: Loop, seen: dict[Target, int], lock_steps: list[tuple[Target, int]], is_alone: bool
    ) -> None:
        self.loop = loop
        self.reads = tuple(seen)
        self._run = run
        self._task = run.current
        self._seen = seen
        self._versions = run.accounts.versions
        self._lock_steps = lock_steps
        self._is_alone = is_alone  # no other thread has moved during the last pass
        self._never_parks = not any(kind_of(target) in _PARKS for target, _ in lock_steps)

    def is_over(self) -> bool:
        """Whether a location that the pass reads has been written by another thread."""
        own = [target for target, _ in self._task.lock_steps[self.loop.lock_mark :]]
        return any(self._versions.get(target, 0) - own.count(target) != seen for target, seen in self._seen.items())

    def holds(self) -> bool:
        """Whether the thread need not go on: neither this pass nor others that follow can change anything.

        Then the last pass might as well not have been, if no other thread could notice it; or else no thread goes on
        but by time, and all that do only repeat themselves.
        """
        if self.is_over() or (self._run.values and self._run.scheduler.wants(self._task)):  # as where passes are held
            return False
        return self._is_alone or all(task is self._task or task.is_idle() for task in self._run.live)

    def goes_on(self) -> bool:
        """Whether the thread, which is about to wait, has come here as in the last pass, and would not give back,
        until it is here again, a lock that it has here: others may wait for that."""
        own = self._task.lock_steps[self.loop.lock_mark :]
        is_timed = self._task.sleeping or self._task.deadline is not None
        if own != self._lock_steps[: len(own)] or not (is_timed or self._never_parks):
            return False
        around = [*self._lock_steps[len(own) :], *own]
        return _sums([step for step in around if kind_of(step[0]) not in _PARKS])[0] >= 0


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
    begun, loop.begun = loop.begun, len(run.log)
    if run.values:
        _log_state(run, loop, key[1], frames.state(frame))
    loop.passes += 1
    if not loop.passes % _FAIR:
        task.turned = True
        if run.may_hold is False:
            run.may_hold = True
    steps = task.lock_steps[loop.lock_mark :]
    effects = _effects_of(run, task, loop, steps)
    loop.effects, loop.lock_mark = _effects(task), len(task.lock_steps)
    if task.repetition is not None and task.repetition.loop is loop:
        task.repetition = None
    if effects is _Effects.LASTING:
        loop.begun = len(run.log)
        if len(task.reads) > _TOO_MANY_READS:
            task.loops.clear()
            forget(task)
        if len(task.loops) == 1:
            forget(task)
        loop.mark, loop.lock_mark, loop.variables = len(task.reads), len(task.lock_steps), None
        return
    reads = dict(reversed(task.reads[loop.mark :]))  # those of the first reads: it may have read a location twice
    versions = run.accounts.versions
    _count_sections(versions, steps, -1)
    loop.mark = len(task.reads)
    variables = frames.variables(frame)
    if run.may_hold is False and frames.same(loop.variables, variables):
        run.may_hold = True
    repeats = all(versions.get(target, 0) == version for target, version in reads.items()) and frames.same(
        loop.variables, variables
    )
    if not repeats:
        _count_sections(versions, steps, 1)
    elif effects is _Effects.UNDONE:
        is_alone = all(entry[0] == task.index for entry in run.log[begun:])
        task.repetition = Repetition(run, loop, reads, steps, is_alone)
    else:
        run.pause(lambda: any(versions.get(target, 0) != version for target, version in reads.items()), tuple(reads))
        loop.mark = len(task.reads)
    loop.variables = variables


def leave(task: Any, key: tuple[int, int]) -> None:
    """A thread has come out of a loop."""
    loop = task.loops.pop(key, None)
    if task.repetition is not None and task.repetition.loop is loop:
        task.repetition = None
    if not task.loops:
        forget(task)


def forget(task: Any) -> None:
    """A thread is in no loop: its reads do not matter any more."""
    task.reads.clear()
    task.lock_steps.clear()


def _effects_of(run: Any, task: Any, loop: Loop, steps: list[tuple[Target, int]]) -> _Effects:
    """The effects of a pass, whose ``steps`` are those that a thread undoes."""
    number = _effects(task) - loop.effects
    if not number:
        return _Effects.NONE
    lowest, left = _sums(steps)
    if number != len(steps) or left:
        return _Effects.LASTING
    parks = any(kind_of(target) in _PARKS for target, _ in steps)
    can_be_noticed = parks or RELEASE_POINTS in run.points or MISUSE_POINTS in run.points
    return _Effects.UNDONE if can_be_noticed or lowest < 0 else _Effects.NONE


def _sums(steps: list[tuple[Target, int]]) -> tuple[int, bool]:
    """The lowest sum of changes that any target comes to, below zero if a lock is released that the thread had before;
    and whether any sum is not zero in the end."""
    sums: dict[Target, int] = {}
    lowest = 0
    for target, change in steps:
        sums[target] = sums.get(target, 0) + change
        lowest = min(lowest, sums[target])
    return lowest, any(sums.values())


def _count_sections(versions: dict[Target, int], steps: list[tuple[Target, int]], change: int) -> None:
    """Count the critical sections of a pass, or take them back if nothing was changed in them."""
    for target, _ in steps:
        if isinstance(target, Section):
            versions[target] += change


def _effects(task: Any) -> int:
    effects: int = task.effects + task.silent
    return effects


def _log_state(run: Any, loop: Loop, site: int, state: Any) -> None:
    """Log the state in which the running thread begins a pass."""
    task = run.current
    value = None if state is None else (task.silent + task.unseen, task.births, state)
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
