"""Uncaught exceptions of threads: each is a failure, unless the program's own ``threading.excepthook`` takes it.

A program that installs a hook handles the exceptions that end its threads: it stores them, or logs them. So an
exception that its hook has been called with is no failure, unless the hook passes it on to the default one, or raises
an exception. The default hook's text is not printed, as the report has it.
"""

from __future__ import annotations

import functools
import sys
import threading
from typing import Any, Final

from mazurka.program.python.failures import fault_of_ours
from mazurka.program.python.primitives.run import Models, here

_DEFAULT: Final[Any] = threading.__dict__["__excepthook__"]
_BEFORE: Final[Any] = threading.excepthook  # before any program was loaded

#: Exceptions of a run that have been passed on to the default hook.
_passed_on: Final[list[BaseException]] = []


def excepthook(args: Any, /) -> None:
    """``threading.__excepthook__``: the exception is a failure."""
    models = here()
    if models is None:
        _DEFAULT(args)
    elif args.exc_value is not None:
        _passed_on.append(args.exc_value)
        models.undo.append(_passed_on.clear)  # it would keep the objects of the run


excepthook.__module__ = "threading"


def is_users(hook: Any, *defaults: Any) -> bool:
    """Whether the program has installed a hook, and not Python or a test runner."""
    if hook is None or any(hook is each for each in defaults):
        return False
    while type(hook) is functools.partial:
        hook = hook.func
    return not str(getattr(hook, "__module__", "")).startswith("_pytest")


def failure_of(models: Models, thread: Any, error: BaseException) -> BaseException | None:
    """The exception that counts as a failure of the run, after an exception has ended a thread."""
    hook = threading.excepthook
    known: BaseException | None = None if type(error) is SystemExit else error
    if models.runtime.aborting or not is_users(hook, _DEFAULT, _BEFORE, excepthook):
        return known
    try:
        hook(threading.ExceptHookArgs((type(error), error, error.__traceback__, thread)))
    except Exception as raised:
        raised.__suppress_context__ = True
        if sys.stderr is not None:
            print("Exception in threading.excepthook:", file=sys.stderr, flush=True)
        sys.excepthook(type(raised), raised, raised.__traceback__)
        return raised
    is_left = isinstance(error, KeyboardInterrupt) or any(each is error for each in _passed_on) or fault_of_ours(error)
    _passed_on.clear()
    return known if is_left else None
