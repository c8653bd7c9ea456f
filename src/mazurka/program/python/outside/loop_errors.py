"""Errors that an event loop has nobody to raise them for: exceptions of tasks that are never retrieved, those of
callbacks, and tasks that are collected while they are pending.

`asyncio` calls the loop's exception handler, and the default one logs a line. Each such call is a failure, like an
exception that ends a thread; a program with a handler of its own takes care of them, unless that calls the default one.
An exception that nothing has retrieved when the execution ends is one, too, although CPython notices it only when it
collects the task. After another failure these are its consequences, and not reported.

Source: ``call_exception_handler`` in ``Lib/asyncio/base_events.py``, and ``__del__`` in ``futures.py`` and
``tasks.py``, of CPython 3.11 to 3.15.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from mazurka.program.protocol import Failure, FailureKind
from mazurka.program.python.outside.loop_waits import blocked
from mazurka.program.python.outside.replacing import replace_method
from mazurka.program.python.primitives import event_loops
from mazurka.program.python.primitives.run import Models
from mazurka.program.runtime.concurrency import has_concurrent_threads
from mazurka.program.runtime.runtime import Runtime
from mazurka.trace.event import Location


def _report(models: Models, real: Any, loop: Any, context: Any) -> None:
    if not models.runtime.aborting:  # otherwise it is the end of the execution that leads here
        real(loop, context)


def _fail(models: Models, real: Any, loop: Any, context: dict[str, Any]) -> None:
    runtime, error, task = models.runtime, context.get("exception"), context.get("task")
    message = context.get("message", "")
    if isinstance(error, Exception):
        _note(runtime, error, message)
    elif error is None and event_loops.is_task(task):
        entry, code = blocked(task), getattr(vars(task)["_coro"], "cr_code", None)
        place = entry.location or (code and Location(code.co_filename, code.co_firstlineno, 0, code.co_qualname))
        text = f"{message} {entry.thread} waits for {entry.for_what}"
        if not runtime.failures:
            found = Failure(FailureKind.EXCEPTION, text, runtime.current.name, place, step=len(runtime.log))
            runtime.failures.append(found)
    elif error is None:
        real(loop, context)
    # The rest are cancellations, which CPython 3.11 reports of each handler of a server, and ends of the program.


def _note(runtime: Runtime, error: Exception, message: str) -> None:
    if not runtime.failures:
        runtime.note_failure(error)
        runtime.failures[:] = [replace(each, message=f"{each.message} ({message})") for each in runtime.failures]


def look_at_end(runtime: Runtime, wait_for_all: Callable[[], None]) -> None:
    """The main thread has ended: exceptions that nothing retrieves are failures. Other threads may yet do so, for which
    the end of the process waits; those for which it does not wait get the benefit of the doubt."""
    if runtime.failures or not event_loops.unretrieved(runtime):
        return
    wait_for_all()
    if has_concurrent_threads(runtime):
        return
    for loop, task in event_loops.unretrieved(runtime):
        error = vars(task)["_exception"]
        if vars(loop).get("_exception_handler") is None and isinstance(error, Exception):
            _note(runtime, error, "Task exception was never retrieved")
            task._Future__log_traceback = False  # CPython would say so as well, when it collects the task


replace_method("asyncio.base_events", "BaseEventLoop.call_exception_handler", _report)
replace_method("asyncio.base_events", "BaseEventLoop.default_exception_handler", _fail)
