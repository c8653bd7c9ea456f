"""Functions of modules whose calls have no hook (:data:`mazurka.program.python.instrument.rewrite.calls.QUIET`).

A test may put another object in their place before it starts threads: ``mock.patch("time.sleep")``. A function of the
program reports its own steps; a mock, or another callable object, has a state that the threads share without a step.

Cost: a microsecond for each thread that is started while there is no other, except for the first one of most runs.
"""

from __future__ import annotations

import queue
import threading
import time
import types
from operator import itemgetter
from typing import Any, Final

from mazurka.program.runtime.concurrency import has_concurrent_threads

#: Functions that tests replace, by module.
_REPLACED: Final = (
    (time, tuple("time time_ns sleep monotonic monotonic_ns perf_counter perf_counter_ns localtime strftime".split())),
    (queue, ("Queue", "LifoQueue", "PriorityQueue", "SimpleQueue")),
    (threading, ("Thread", "Timer", "Lock", "RLock", "Event", "Condition", "Semaphore", "local", "current_thread")),
)

#: The replaced functions, with a function that gets all of them from a namespace.
_NAMES: Final = tuple([(module, names, itemgetter(*names)) for module, names in _REPLACED])

#: Types of functions and classes, and of their replacements in a run; an object of any other one has a state.
_USUAL: Final = frozenset((types.FunctionType, types.BuiltinFunctionType, staticmethod, type))


def count_replaced(run: Any) -> None:
    """A thread is about to be started: count the objects that stand for such a function as untracked, if they have a
    state. Each run counts them; a run that is equal to an earlier one up to its first fork takes over the result of
    that one."""
    if run.is_recording or has_concurrent_threads(run):
        return
    if not run.solo:
        found = _replaced()
    elif run.learned.knows_start():
        found = run.learned.replaced
    else:
        found = run.learned.replaced = _replaced()
    for text in found:
        run.untracked[text] = run.untracked.get(text, 0) + 1


def _replaced() -> tuple[str, ...]:
    """The functions for which an object with a state stands, in words."""
    found = []
    for module, names, values_of in _NAMES:
        space = vars(module)
        try:
            if _USUAL.issuperset(map(type, values_of(space))):
                continue
        except KeyError:  # a test has deleted one
            pass
        for name in names:
            kind = type(space.get(name))
            if kind not in _USUAL and kind is not type(None):
                found.append(f"calls of {module.__name__}.{name}, which a {kind.__name__} stands for")
    return tuple(found)
