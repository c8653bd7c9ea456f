"""Recognises loops that only wait: a pass that would repeat the one before it is not made until something changes.

At the head of a ``while`` loop a thread is about to repeat itself if, since it was last there, it has had no effect
(nothing written, no clock read), its locals are the same, and every location that it read still has the value that it
read. Then it is held until one of these locations is written; if it read none at all, for ever.

Locks that it took and then released are no effect if all other threads just wait for locks: the others go on in the
same way with such a pass and without it. Where any thread tries a lock, or looks at one, it could notice the pass.

Cost: a few look-ups for a pass that has effects; a copy of the locals for one that has none.
"""

from __future__ import annotations

import types
from typing import Any, Final

from mazurka.program.python.frame_variables import variables_of
from mazurka.program.python.liveness import loop_state
from mazurka.program.runtime.task import MISUSE_POINTS, RELEASE_POINTS

_SCALARS: Final = frozenset({int, str, float, bool, type(None), bytes})

#: Generators, coroutines and asynchronous generators.
_GENERATOR: Final = 0x20 | 0x80 | 0x200

#: So many loops or reads mean that loops were left by an exception, or never end: all are forgotten.
_TOO_MANY_LOOPS: Final = 16
_TOO_MANY_READS: Final = 20_000


#: After so many passes others go first, where nothing else decides: a loop may wait for them though it has effects.
_FAIR: Final = 64


class _Loop:
    """A thread's effects and reads when it was last at the loop's head."""

    __slots__ = ("begun", "effects", "frame", "locals", "lock_mark", "mark", "number", "passes", "states")

    def __init__(self, frame: types.FrameType, task: Any, variables: dict[str, Any] | None) -> None:
        self.frame = frame  # kept, so that its id is not reused
        self.effects = _effects(task)
        self.mark = len(task.reads)
        self.lock_mark = len(task.lock_steps)
        self.locals = variables
        self.number = task.entered
        self.passes = 0
        self.begun = 0  # the length of the log when its last pass began
        self.states: set[Any] = set()  # values: the states that its passes began in


def at_head(run: Any, frame: types.FrameType, site: int) -> None:
    """A thread begins a pass; holds it if the pass would repeat the last one.

    Generators are left alone: their caller may make progress.
    """
    if frame.f_code.co_flags & _GENERATOR:
        return
    task = run.current
    key = (id(frame), site)
    loop = task.loops.get(key)
    if loop is None:
        run.be_careful()  # from now on the changes that steps make are counted
        if len(task.loops) >= _TOO_MANY_LOOPS:
            _prune(task, frame)
        task.entered += 1
        loop = _Loop(frame, task, variables_of(frame))
        task.begin_loop(key, loop)
        loop.begun = len(run.log)
        if run.values:
            loop_state.begin(run, loop, frame, site)
        return
    loop.begun = len(run.log)
    if run.values:
        loop_state.begin(run, loop, frame, site)
    loop.passes += 1
    if not loop.passes % _FAIR:
        task.turned = True
    had_effects = _has_had_effects(run, task, loop)
    loop.effects, loop.lock_mark = _effects(task), len(task.lock_steps)
    if had_effects:
        if len(task.reads) > _TOO_MANY_READS:
            task.loops.clear()
            _forget(task)
        if len(task.loops) == 1:
            _forget(task)
        loop.mark, loop.lock_mark, loop.locals = len(task.reads), len(task.lock_steps), None
        return
    reads = dict(task.reads[loop.mark :])
    versions = run.accounts.versions
    loop.mark = len(task.reads)
    variables = variables_of(frame)
    if all(versions.get(target, 0) == version for target, version in reads.items()) and _same(loop.locals, variables):
        run.pause(lambda: any(versions.get(target, 0) != version for target, version in reads.items()), tuple(reads))
        loop.mark = len(task.reads)
    loop.locals = variables


def left(task: Any, frame: types.FrameType, site: int) -> None:
    """A thread has come out of a loop."""
    task.loops.pop((id(frame), site), None)
    if not task.loops:
        _forget(task)


def _forget(task: Any) -> None:
    task.reads.clear()
    task.lock_steps.clear()


def _has_had_effects(run: Any, task: Any, loop: _Loop) -> bool:
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


def _same(before: dict[str, Any] | None, now: dict[str, Any]) -> bool:
    if before is None or len(before) != len(now):
        return False
    for name, value in now.items():
        if name not in before:
            return False
        other = before[name]
        if other is not value and not (type(other) is type(value) and type(value) in _SCALARS and other == value):
            return False
    return True


def _prune(task: Any, frame: types.FrameType | None) -> None:
    """Forget the loops of functions that are no longer running."""
    alive = set()
    while frame is not None:
        alive.add(id(frame))
        frame = frame.f_back
    for key in [key for key in task.loops if key[0] not in alive]:
        del task.loops[key]
