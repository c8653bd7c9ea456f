"""Calls of ``Context.run``: the context is entered, the function called, and the context left."""

from __future__ import annotations

from collections.abc import Callable
from contextvars import Context
from typing import Any

from mazurka.program.python import activation
from mazurka.program.python.semantics import entered_contexts, objects, reentrant
from mazurka.trace.event import Op
from mazurka.trace.targets import OBJECT

#: Reports a call: of a function, with arguments.
Announce = Callable[[Any, Any, int, tuple[Any, ...], dict[str, Any]], None]


def is_entering(thing: Any, name: str) -> bool:
    """Whether a method of an object enters a context."""
    return name == "run" and type(thing) is Context


def enter(
    run: Any, context: Context, site: int, args: tuple[Any, ...], named: dict[str, Any], announce: Announce
) -> None:
    """Code in C is about to call ``context.run``: the end of the call is not seen."""
    _access(run, context, site)
    entered_contexts.enter(context, run.current, ends=False)
    if args:
        announce(run, args[0], site, args[1:], named)
        reentrant.finish(run, site)


def entering(context: Context, site: int, announce: Announce) -> Callable[..., Any]:
    """The function to call in place of ``context.run``."""

    def run_in(*args: Any, **named: Any) -> Any:
        run = activation.active
        if not args or run is None or run.solo or run.aborting or run.is_recording:
            return context.run(*args, **named)
        function, *given = args
        _access(run, context, site)

        def within() -> Any:
            entered_contexts.enter(context, run.current, ends=True)
            announce(run, function, site, tuple(given), named)
            reentrant.finish(run, site)
            try:
                return function(*given, **named)
            finally:
                if not run.aborting:
                    _access(run, context, site)  # while it is still entered
                entered_contexts.leave(context, run.current)

        return context.run(within)

    return run_in


def _access(run: Any, context: Context, site: int) -> None:
    entered_contexts.used(context, enters=True)
    target = (OBJECT, objects.number(context))
    if run.detail:
        run.names.setdefault(target, "a context")
    run.visit(Op.RMW, target, site)
    reentrant.finish(run, site)
