"""Contexts of ``contextvars`` that are entered: by ``context.run(function, ...)``, as event loops call all their
callbacks.

While a thread is in a context, assignments to context variables change it without a step. So entering it is an RMW of
its state, and leaving it is another one (:mod:`context_calls`). A use of the context by another thread in between is
untracked, except for entering it, which fails. Where code in C makes the call, the end is not seen: then any later use
by another thread is untracked.

A context of `decimal` is that of a thread from where the thread gets or sets it: calculations read it, and set its
flags, without a step. So a use of it by another thread, from then on, is untracked.
"""

from __future__ import annotations

from contextvars import Context
from typing import Any

from mazurka.program.python import activation
from mazurka.program.python.semantics.per_run import per_run
from mazurka.program.python.semantics.untracked import count_untracked
from mazurka.program.runtime.concurrency import has_concurrent_threads

#: Identity of a context -> the context, the thread that has entered it, and whether the end of that is seen.
_entered: dict[int, tuple[Any, Any, bool]] = per_run({})


def enter(context: Any, task: Any, ends: bool) -> None:
    """A thread enters a context; ``ends``: :func:`leave` will be called."""
    _entered.setdefault(id(context), (context, task, ends))


def leave(context: Context, task: Any) -> None:
    """... and leaves it."""
    known = _entered.get(id(context))
    if known is not None and known[1] is task and known[2]:
        del _entered[id(context)]


def used(context: Context, enters: bool = False) -> None:
    """A context is about to be used; ``enters``: the use only enters it."""
    known = _entered.get(id(context))
    run = activation.active
    if known is None or run is None or known[1] is run.current or (enters and known[2]):
        return
    _count(run)


def _count(run: Any) -> None:
    if has_concurrent_threads(run):
        count_untracked(run, "a context that a thread runs in, used by other threads meanwhile,", 0)


def calculates_with(context: Any, task: Any) -> None:
    """A thread has a context of `decimal` for its calculations."""
    enter(context, task, ends=False)


def used_for_calculations(thing: Any) -> None:
    """A context of `decimal`, or its flags or traps, is about to be used."""
    run: Any = activation.active
    if run is None or run.is_recording or not has_concurrent_threads(run):
        return
    of_others = [context for context, task, _ in _entered.values() if task is not run.current]
    for task in run.tasks:
        running = task.greenlet.gr_context if task is not run.current and task.greenlet else None
        of_others += running.values() if running is not None else ()
    for each in of_others:
        if type(each).__name__ == "Context" and type(each).__module__ == "decimal":
            if each is thing or each.flags is thing or each.traps is thing:
                _count(run)
