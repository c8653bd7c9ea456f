"""State of the process that code in C reads without a step: its changes are untracked.

``int`` looks at the limit of digits, ``bytes.decode`` at the registry of error handlers, pickling at `copyreg`, and so
on, without a step. A change of such an object while there are other threads is counted, and writes its location, which
the functions that get it read. State that can't be put back, and that threads can't have different values of, such as
the priority of the process, is not changed at all: the run is cut there.
"""

from __future__ import annotations

import codecs
import copyreg
import gc
import os
import sys
import time
from collections.abc import Callable
from typing import Any, Final

from greenlet import GreenletExit

from mazurka.program.python.outside.process_state import place
from mazurka.program.python.outside.putting_back import undo_at_end
from mazurka.program.python.outside.replacing import replace_function
from mazurka.program.python.primitives.run import Models, count_uncontrolled, count_untracked
from mazurka.program.python.primitives.steps import StepAccess, change, pass_step
from mazurka.program.python.semantics.gathering import is_seen
from mazurka.program.python.semantics.locations import contents
from mazurka.program.python.semantics.objects import before_collection
from mazurka.trace.targets import OBJECT


def _changing(
    name: str, save: Callable[[], Callable[[], object]] | None = None, module: str | None = None
) -> Callable[..., Any]:
    """The wrapper of a function that changes state which ``save`` can put back. ``module``: a module in C, other
    functions of which read the state."""
    where = place(name)
    also = [] if module is None else [change((OBJECT, module), f"the state of {module}")]

    def change_(models: Models, real: Any, *args: Any, **named: Any) -> Any:
        count_untracked(models.runtime, f"a change of {where[1]}")
        pass_step(models, change(*where), *also)
        if save is not None:
            undo_at_end(models, name, save)
        return real(*args, **named)

    return change_


# -- codecs, pickling ----------------------------------------------------------------------------


def _register(models: Models, real: Any, search: Any) -> Any:
    models.undo.append(lambda: codecs.unregister(search))
    return _codecs(models, real, search)


_codecs: Final = _changing("registry of codecs", module="_codecs")

replace_function(codecs, "register", _register)
for _name in ("unregister", "register_error", "unregister_error"):
    replace_function(codecs, _name, _codecs)

#: Names of `copyreg`'s dictionaries.
_REGISTRIES: Final = ("dispatch_table", "_extension_registry", "_inverted_registry", "_extension_cache")


def _keep_registries() -> Callable[[], object]:
    kept = [(space, dict(space)) for space in (vars(copyreg)[name] for name in _REGISTRIES)]

    def put_back() -> None:
        for space, content in kept:
            space.clear()
            space.update(content)

    return put_back


for _name in ("pickle", "constructor", "add_extension", "remove_extension", "clear_extension_cache"):
    replace_function(copyreg, _name, _changing("registry of copyreg", _keep_registries))


# -- the collector ----------------------------------------------------------------------------


def _collect(models: Models, real: Any, *args: Any, **named: Any) -> Any:
    """``gc.collect``, which calls the elements of `gc.callbacks`."""
    callbacks = [each for each in gc.callbacks if each is not before_collection]
    first, *others = [StepAccess(each.op, each.target, "") for each in contents(gc.callbacks)]
    pass_step(models, first, *others)
    if any(not is_seen(each) for each in callbacks):
        count_untracked(models.runtime, "a garbage collection that calls code that is not instrumented")
    return real(*args, **named)


replace_function(gc, "collect", _collect)


def _counts(name: str) -> Callable[..., Any]:
    """The wrapper of a function whose result depends on all objects that threads have made."""

    def count(models: Models, real: Any, *args: Any, **named: Any) -> Any:
        if len(models.runtime.tasks) > 1:  # also once the other threads have ended
            models.runtime.untracked[f"gc.{name}()"] = models.runtime.untracked.get(f"gc.{name}()", 0) + 1
        return real(*args, **named)

    return count


for _name in ("get_count", "get_stats"):
    replace_function(gc, _name, _counts(_name))


# -- left alone ------------------------------------------------------------------------------------


def _refusing(module: Any, name: str) -> Callable[..., Any]:
    def refuse(models: Models, real: Any, *args: Any, **named: Any) -> Any:
        runtime = models.runtime
        if runtime.aborting:
            raise GreenletExit
        text = f"{module.__name__}.{name}()"
        count_uncontrolled(runtime, f"{text}, which could not be undone")
        runtime.stop(f"the run was cut before {text}, which could not be undone")

    return refuse


def _nice(models: Models, real: Any, increment: int, /) -> Any:
    return _refusing(os, "nice")(models, real, increment) if increment else real(increment)


#: Functions of `os` that change the process, or a thread of the system, for good.
_FOR_GOOD: Final = (
    *("setpgid", "setpgrp", "setsid", "setpriority", "setuid", "seteuid", "setreuid", "setresuid", "setgid", "setegid"),
    *("setregid", "setresgid", "setgroups", "initgroups", "chroot", "sched_setaffinity", "sched_setscheduler"),
    *("sched_setparam", "tcsetpgrp", "unshare", "setns"),
)

replace_function(os, "nice", _nice)
for _name in _FOR_GOOD:
    replace_function(os, _name, _refusing(os, _name))
for _name in ("clock_settime", "clock_settime_ns"):
    replace_function(time, _name, _refusing(time, _name))
replace_function(sys, "addaudithook", _refusing(sys, "addaudithook"))
