"""Contexts of ``contextvars`` that are entered: by ``context.run(function, ...)``, as event loops call all their
callbacks.

While a thread is in a context, assignments to context variables change it without a step. So entering it is an RMW of
its state, and leaving it is another one (:mod:`context_calls`). A use of the context by another thread in between is
untracked, except for entering it, which fails. Where code in C makes the call, the end is not seen: then any later use
by another thread is untracked.
"""

from __future__ import annotations

from contextvars import Context
from typing import Any

from mazurka.program.python import activation
from mazurka.program.python.semantics.per_run import per_run
from mazurka.program.python.semantics.untracked import count_untracked
from mazurka.program.runtime.concurrency import has_concurrent_threads

#: Identity of a context -> the context, the thread that has entered it, and whether the end of that is seen.
_entered: dict[int, tuple[Context, Any, bool]] = per_run({})


def enter(context: Context, task: Any, ends: bool) -> None:
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
    if has_concurrent_threads(run):
        count_untracked(run, "a context that a thread runs in, used by other threads meanwhile,", 0)
