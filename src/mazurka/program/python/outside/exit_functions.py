"""`atexit`: functions that a run registers are called at its end, as at the end of the process, and forgotten then."""

from __future__ import annotations

import atexit
import sys
from collections.abc import Callable
from typing import Any, Final

from mazurka.program.python.outside.process_state import place
from mazurka.program.python.outside.replacing import replace_function
from mazurka.program.python.primitives import run as _run
from mazurka.program.python.primitives.run import Models, here
from mazurka.program.python.primitives.steps import change, pass_step, read

_FUNCTIONS: Final = place("exit functions")

#: Modules whose exit functions clean up state of the whole process, and so of the check.
_SPARED: Final = frozenset({"weakref", "logging", "multiprocessing.util", "concurrent.futures.process"})

#: Named as untracked.
_LATE: Final = "exit functions registered after the end of the main thread"

_registered: Final[list[tuple[Callable[..., Any], tuple[Any, ...], dict[str, Any]]]] = []


class _State:
    are_any = False  # whether this run, or the last one, has registered functions
    is_over = False  # whether the main thread has ended, and did not wait for others, as there were none


def are_any() -> bool:
    """Whether the run has registered any exit functions."""
    return _State.are_any


def _register(models: Models, real: Any, function: Any, /, *args: Any, **named: Any) -> Any:
    if not callable(function):
        raise TypeError("the first argument must be callable")
    pass_step(models, change(*_FUNCTIONS))
    if _State.is_over:
        models.runtime.untracked[_LATE] = 1
    _State.are_any = True
    if getattr(function, "__module__", None) not in _SPARED:
        _registered.append((function, args, named))
    return function


def _unregister(models: Models, real: Any, function: Any, /) -> None:
    pass_step(models, change(*_FUNCTIONS))
    _registered[:] = [each for each in _registered if each[0] != function]
    real(function)


def _count(models: Models, real: Any) -> int:
    pass_step(models, read(*_FUNCTIONS))
    return len(_registered)


def _run_now(models: Models, real: Any) -> None:
    call_all(lambda: pass_step(models, change(*_FUNCTIONS)))


def call_all(before_each: Callable[[], object] = lambda: None) -> None:
    """Call the registered functions, the last first, as the interpreter does: an exception is printed, and is a
    failure; the others are called nevertheless."""
    while True:
        before_each()
        if not _registered:
            break
        function, args, named = _registered.pop()
        try:
            function(*args, **named)
        except (Exception, SystemExit) as error:
            if (models := here()) is not None and not isinstance(error, SystemExit):
                models.runtime.note_failure(error)
            sys.stderr.write(f"Exception ignored in atexit callback {function!r}\n")


def at_end_of_process(wait: Callable[[], object]) -> None:
    """The main thread of a script has ended: once all other threads have, too, the functions are called."""
    _State.is_over = not _registered
    if _registered and here() is not None:
        wait()
        call_all()


def _begin(models: Models) -> None:
    _registered.clear()
    _State.are_any = _State.is_over = False


_run.beginners.append(_begin)
_ATEXIT: Final[Any] = atexit
replace_function(_ATEXIT, "register", _register)
replace_function(_ATEXIT, "unregister", _unregister)
replace_function(_ATEXIT, "_ncallbacks", _count)
replace_function(_ATEXIT, "_run_exitfuncs", _run_now)
