"""The ``while`` loops of Python programs, for :mod:`mazurka.program.runtime.loops`.

The variables are those of the frame. Its state is unknown where a variable holds an object that may change without a
step: an iterator, an array.

Cost: a copy of the variables for a pass that has had no effects; with values, a microsecond per pass and variable.
"""

from __future__ import annotations

import types
from collections.abc import Hashable
from typing import Any, Final

from mazurka.program.python.frame_variables import variables_of
from mazurka.program.python.semantics.objects import value_key
from mazurka.program.python.semantics.shown import is_shown
from mazurka.program.runtime.loops import begin_pass, leave

_SCALARS: Final = frozenset({int, str, float, bool, type(None), bytes})

#: Generators, coroutines and asynchronous generators.
_GENERATOR: Final = 0x20 | 0x80 | 0x200

#: At most so many variables are looked at.
_MOST_VARIABLES: Final = 200


def _is_same(one: Any, other: Any) -> bool:
    return one is other or (type(one) is type(other) and type(one) in _SCALARS and one == other)


def _are_same_items(one: Any, other: Any) -> bool:
    """Whether a pass has made a list or tuple like that of the pass before, which has not changed since: a change is an
    effect."""
    if type(one) is not type(other) or type(one) not in (list, tuple) or not len(one) == len(other) <= _MOST_VARIABLES:
        return False
    return all(map(_is_same, one, other))


class _PythonFrames:
    """See :class:`mazurka.program.runtime.loops.Frames`; frames are Python's."""

    def variables(self, frame: types.FrameType) -> dict[str, Any]:
        return variables_of(frame)

    def same(self, before: dict[str, Any] | None, now: dict[str, Any]) -> bool:
        if before is None or len(before) != len(now):
            return False
        for name, value in now.items():
            if name not in before:
                return False
            if not _is_same(before[name], value) and not _are_same_items(before[name], value):
                return False
        return True

    def state(self, frame: types.FrameType) -> Hashable:
        variables = variables_of(frame)
        if len(variables) > _MOST_VARIABLES or not all(map(is_shown, variables.values())):
            return None
        return tuple([(name, value_key(value)) for name, value in variables.items()])

    def prune(self, task: Any, frame: types.FrameType | None) -> None:
        alive = set()
        while frame is not None:
            alive.add(id(frame))
            frame = frame.f_back
        for key in [key for key in task.loops if key[0] not in alive]:
            del task.loops[key]


_FRAMES: Final = _PythonFrames()


def at_head(run: Any, frame: types.FrameType, site: int) -> None:
    """A thread begins a pass. Generators are left alone: their caller may make progress."""
    if not frame.f_code.co_flags & _GENERATOR:
        begin_pass(run, (id(frame), site), frame, _FRAMES)


def left(task: Any, frame: types.FrameType, site: int) -> None:
    """A thread has come out of a loop."""
    leave(task, (id(frame), site))
