"""Calls of ``Context.run``: the context is entered, the function called, and the context left."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from contextvars import Context, ContextVar
from typing import Any

from mazurka.program.python import activation
from mazurka.program.python.semantics import entered_contexts, objects, reentrant
from mazurka.program.python.semantics.gathering import in_one_step
from mazurka.program.python.semantics.harmless import BUILTIN_METHODS
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
    reentrant.finish(run, site)
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
        if _is_indivisible(function):
            in_one_step(
                run,
                site,
                lambda part: _access(part, context, site),
                lambda part: announce(part, function, site, tuple(given), named),
            )
            reentrant.finish(run, site)
            return context.run(*args, **named)
        _access(run, context, site)
        reentrant.finish(run, site)

        def within() -> Any:
            entered_contexts.enter(context, run.current, ends=True)
            announce(run, function, site, tuple(given), named)
            reentrant.finish(run, site)
            try:
                return function(*given, **named)
            finally:
                if not run.aborting:
                    _access(run, context, site)  # while it is still entered
                    reentrant.finish(run, site)
                entered_contexts.leave(context, run.current)

        return context.run(within)

    return run_in


def _access(run: Any, context: Context, site: int) -> None:
    entered_contexts.used(context, enters=True)
    target = (OBJECT, objects.number(context))
    if run.detail:
        run.names.setdefault(target, "a context")
    run.visit(Op.RMW, target, site)


def _is_indivisible(function: Any) -> bool:
    """Whether a function is one in C that runs no other code: then the context is entered and left in its step."""
    if type(function) not in BUILTIN_METHODS:
        return False
    owner = type(function.__self__)
    return owner is ContextVar or ((owner is list or owner is deque) and function.__name__ == "append")
