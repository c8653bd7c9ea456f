"""The context that a thread runs in: its values of ``contextvars``.

A thread begins with an empty context of its own, as every greenlet does. From Python 3.14 on ``Thread(context=...)``
gives it another one, and with ``-X thread_inherit_context`` it begins with a copy of its parent's. Other threads may
look at a given context, and enter it. The thread changes it while it runs, but reports that only when it begins and
when it ends (RMW of the context's state): a use by another thread in between is untracked.
"""

from __future__ import annotations

import sys
import threading
from contextvars import Context, copy_context
from typing import Any, Final

from mazurka.program.python.instrument import sites
from mazurka.program.python.primitives.run import Models, count_untracked
from mazurka.program.python.semantics import native_objects
from mazurka.program.python.semantics.objects import number
from mazurka.trace.event import Op
from mazurka.trace.targets import OBJECT, Target

INHERITS: Final[bool] = bool(getattr(sys.flags, "thread_inherit_context", False))

#: The place in reports at which the context is entered and left.
_VIA: Final = threading.Thread.run.__code__


def chosen(space: dict[str, Any]) -> Context | None:
    """The context of a started thread, by its attributes; None for an empty one."""
    given: Context | None = space.get("_context")
    return copy_context() if given is None and INHERITS else given


def run_in(models: Models, thread: Any, context: Context) -> None:
    """``thread.run()`` in a context."""
    runtime = models.runtime
    if thread.__dict__.get("_context") is None:  # no other thread has it
        context.run(thread.run)
        return
    site, target, begun = sites.of_call(_VIA), (OBJECT, number(context)), len(runtime.log)
    native_objects.access(runtime, context, Op.RMW, site)
    try:
        context.run(thread.run)
    finally:
        if not runtime.aborting:
            native_objects.access(runtime, context, Op.RMW, site)
            if _is_used_by_others(models, target, begun):
                count_untracked(runtime, "a context that a thread runs in, used by other threads meanwhile,")


def _is_used_by_others(models: Models, target: Target, begun: int) -> bool:
    me = models.runtime.current.index
    return any(
        entry[0] != me and (entry[2] == target or any(access.target == target for access in entry[6]))
        for entry in models.runtime.log[begun:]
    )
