"""Recognises loops that only wait: a pass that would repeat the one before it is not made until something changes.

At the head of a ``while`` loop a thread is about to repeat itself if, since it was last there, it has had no effect
(nothing written, no lock taken, no clock read), its locals are the same, and all that it read still has the value
it read. Then it is held until one of those locations is written; if it read nothing at all, for ever.

Cost: a few look-ups for a pass that has effects; a copy of the locals for one that has none.
"""

from __future__ import annotations

import types
from typing import Any, Final

from mazurka.program.python import rounds

_SCALARS: Final = frozenset({int, str, float, bool, type(None), bytes})

#: Generators, coroutines and asynchronous generators.
_GENERATOR: Final = 0x20 | 0x80 | 0x200

#: So many loops or reads mean that loops were left by an exception, or never end: start over.
_TOO_MANY_LOOPS: Final = 16
_TOO_MANY_READS: Final = 20_000


class _Loop:
    """What a thread had done and read when it was last at the loop's head."""

    __slots__ = ("begun", "effects", "frame", "locals", "mark", "number", "states")

    def __init__(
        self, frame: types.FrameType, effects: int, mark: int, variables: dict[str, Any] | None, number: int
    ) -> None:
        self.frame = frame  # kept, so that its id is not another's
        self.effects = effects
        self.mark = mark
        self.locals = variables
        self.number = number
        self.begun = 0  # the length of the log when its last pass began
        self.states: set[Any] = set()  # values: those its passes began in


def at_head(run: Any, frame: types.FrameType, site: int) -> None:
    """A thread begins a pass; holds it if the pass would repeat the last one.

    Generators are left alone: who drives them may be getting on.
    """
    if frame.f_code.co_flags & _GENERATOR:
        return
    task = run.current
    key = (id(frame), site)
    loop = task.loops.get(key)
    if loop is None:
        run.be_careful()  # from now on it is counted what steps change
        if len(task.loops) >= _TOO_MANY_LOOPS:
            _prune(task, frame)
        task.entered += 1
        loop = task.loops[key] = _Loop(frame, _effects(task), len(task.reads), _variables(frame), task.entered)
        loop.begun = len(run.log)
        if run.values:
            rounds.begin(run, loop, frame, site)
        return
    loop.begun = len(run.log)
    if run.values:
        rounds.begin(run, loop, frame, site)
    if loop.effects != _effects(task):
        if len(task.reads) > _TOO_MANY_READS:
            task.loops.clear()
            task.reads.clear()
        if len(task.loops) == 1:
            task.reads.clear()
        loop.effects, loop.mark, loop.locals = _effects(task), len(task.reads), None
        return
    reads = dict(task.reads[loop.mark :])
    versions = run.accounts.versions
    loop.mark = len(task.reads)
    variables = _variables(frame)
    if all(versions.get(target, 0) == version for target, version in reads.items()) and _same(loop.locals, variables):
        run.pause(lambda: any(versions.get(target, 0) != version for target, version in reads.items()), tuple(reads))
        loop.mark = len(task.reads)
    loop.locals = variables


def left(task: Any, frame: types.FrameType, site: int) -> None:
    """A thread has come out of a loop."""
    task.loops.pop((id(frame), site), None)
    if not task.loops:
        task.reads.clear()


def _effects(task: Any) -> int:
    effects: int = task.effects + task.silent
    return effects


def _variables(frame: types.FrameType) -> dict[str, Any]:
    return dict(frame.f_locals)


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
