"""Says, at the head of each pass of a ``while`` loop, what a thread's own state is (only with :attr:`Plan.values`).

Two passes of one loop that begin in the same state of the thread go on alike for as long as they see the same: whoever
learns from runs can take them for one (explore/learnt/walker.py), so that a loop without end is a finite thing. The
state is

- the frame's variables, as value keys. What waits in the frames that called it is the same in every pass of a loop;
- how often the thread has done something of which no step tells: called what is not instrumented, looked at its
  clock, let an iterator get on; and how many threads it has started;
- what it has written to places nobody else touches. Whoever learns keeps account of that.

A pass is logged as a BRANCH of the target ``("pass", site, how many-eth loop of the thread)``, its value the state, or
None if it can't be told: where a variable holds an object that may change without a step (an iterator, an array).

Where a pass begins as an earlier one did, others go first, in turn; and when all that is left has gone round like that
for long enough after the plan's prefix, the run ends (:attr:`Run.settled`): a later plan may go on from there, if what
a thread has written shows that it was getting on.

Cost: a microsecond per pass and variable.
"""

from __future__ import annotations

import types
from struct import calcsize
from typing import Any, Final

from mazurka.program.protocol import PASS
from mazurka.program.python.objects import SCALARS, value_key
from mazurka.trace.event import Op

#: So many passes in succession that begin as earlier ones did, and nothing else will happen.
_ENOUGH: Final = 64

#: So many, and what the plan's prefix has next won't happen.
_MORE_THAN_ENOUGH: Final = 10_000

#: States kept per thread, and variables looked at.
_MOST: Final = 10_000
_MOST_VARIABLES: Final = 200

_PLAIN: Final = frozenset({list, dict, set, frozenset, types.FunctionType, types.ModuleType, types.BuiltinFunctionType})
_HEAP_TYPE: Final = 1 << 9
_WORD: Final = calcsize("P")


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
    task.passes.add((site, value))
    if value not in loop.states:
        loop.states.add(value)  # a loop come to anew, perhaps in a pass of another
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
    variables = frame.f_locals
    if len(variables) > _MOST_VARIABLES or not all(map(_is_told, variables.values())):
        return None
    return tuple([(name, value_key(value)) for name, value in variables.items()])


def _is_told(value: Any) -> bool:
    """Whether all that happens to a value shows in steps, or in the count of what does not."""
    kind = type(value)
    if kind in SCALARS or kind in _PLAIN or issubclass(kind, type):
        return True
    if kind is tuple:
        return all(map(_is_told, value))
    if kind is types.MethodType:
        return False  # made anew each time it is looked up
    heap = bool(kind.__flags__ & _HEAP_TYPE)
    return heap and not hasattr(kind, "__next__") and not _is_array(kind) and not any(map(_keeps_more, kind.__mro__))


def _keeps_more(kind: type) -> bool:
    """Whether objects have more of a class than attributes take: what code in C keeps there."""
    base = kind.__base__
    if base is None or kind in _PLAIN or kind in SCALARS or kind is tuple or issubclass(kind, BaseException):
        return False
    slots = kind.__dict__.get("__slots__", ())
    names = {slots} if isinstance(slots, str) else set(slots)
    count = len(names - {"__dict__", "__weakref__"})
    count += kind.__dictoffset__ > 0 == base.__dictoffset__
    count += kind.__weakrefoffset__ > 0 == base.__weakrefoffset__
    return kind.__basicsize__ > base.__basicsize__ + count * _WORD


def _is_array(kind: type) -> bool:
    """Whether it is changed by item, and is none of the program's own."""
    return "__setitem__" in dir(kind) and not any(
        type(each.__dict__.get("__setitem__")) is types.FunctionType or each in (list, dict) for each in kind.__mro__
    )
