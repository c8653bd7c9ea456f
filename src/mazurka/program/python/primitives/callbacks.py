"""Functions that threads, timers and conditions call for the program: steps like any other.

CPython's code that calls them is not instrumented. A function of the program reports its own accesses; the call of
another callable, for instance a method of a container, a partial or a builtin as a thread's target, is announced here.

Cost: a look-up of the callee.
"""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable
from types import FunctionType
from typing import Any, Final

from mazurka.program.python.instrument import sites
from mazurka.program.python.instrument.sites import instrumented
from mazurka.program.python.primitives.run import Models, here
from mazurka.program.python.semantics import calls
from mazurka.program.python.semantics.gathering import is_seen

#: The place of such a call in reports.
_VIA: Final = threading.Thread.run.__code__

_original: Final[dict[tuple[type, str], Any]] = {}


def called(function: Any, *args: Any, **named: Any) -> Any:
    """Call ``function`` as an instrumented call would."""
    models = here()
    if models is not None:
        announce(models, function, args, named)
    return function(*args, **named)


def announce(models: Models, function: Any, args: tuple[Any, ...], named: dict[str, Any]) -> None:
    """``function`` is about to be called by code that is not instrumented."""
    if not is_seen(function):
        _announce(models, function, args, named)


def _announce(models: Models, function: Any, args: tuple[Any, ...], named: dict[str, Any]) -> None:
    run = models.runtime
    if not run.solo and not run.aborting:
        calls.announce(run, function, sites.of_call(_VIA), args, named)


def thread_run(self: Any) -> None:
    """``threading.Thread.run``: a target that is not instrumented is called as an opaque one."""
    models = here()
    space = self.__dict__  # its attributes, read without a step
    if models is None or "_target" not in space:
        _original[threading.Thread, "run"](self)
        return
    target, args, named = space["_target"], space["_args"], space["_kwargs"]
    try:
        if type(target) is FunctionType and target.__code__.co_filename in instrumented:
            target(*args, **named)  # it reports its own steps
        elif target is not None:
            if not is_seen(target):
                _announce(models, target, args, named)
            target(*args, **named)
    finally:
        del space["_target"], space["_args"], space["_kwargs"], target, args, named


def condition_wait_for(self: Any, predicate: Callable[[], Any], timeout: float | None = None) -> Any:
    """``threading.Condition.wait_for``: a predicate that is not instrumented is called as an opaque one."""
    if here() is None or is_seen(predicate):
        return _original[threading.Condition, "wait_for"](self, predicate, timeout)
    return _original[threading.Condition, "wait_for"](self, functools.partial(called, predicate), timeout)


def barrier_init(self: Any, parties: int, action: Any = None, timeout: float | None = None) -> None:
    """``threading.Barrier``: an action that is not instrumented is called as an opaque one."""
    if action is not None and not is_seen(action) and here() is not None:
        action = functools.partial(called, action)
    _original[threading.Barrier, "__init__"](self, parties, action, timeout)


#: class -> attribute -> its replacement.
REPLACEMENTS: Final[dict[type, dict[str, Any]]] = {
    threading.Thread: {"run": thread_run},
    threading.Condition: {"wait_for": condition_wait_for},
    threading.Barrier: {"__init__": barrier_init},
}


def install() -> Callable[[], None]:
    """Put the replacements in place; returns the function that puts the originals back."""
    from mazurka.program.python.primitives.private import replace

    return replace(REPLACEMENTS, _original)
