"""Event loops (`asyncio`): one in a program without threads runs on virtual time; beside threads none is controlled.

With one thread the order of a loop's callbacks follows from the program, as long as nothing comes in from outside:
where the loop would wait for its next timer, the clock jumps there. Whatever does come in is counted as uncontrolled.

Among threads a loop waits in the operating system for data that other threads send through a socket, and `asyncio`
keeps the running loop by thread of the operating system, of which a run has only one. Such a run is cut where the loop
would start or wait.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, Final

from greenlet import GreenletExit

from mazurka.program.python.primitives.run import Models, count_uncontrolled, here
from mazurka.program.runtime.runtime import Runtime

_CUT: Final = "the run was cut where an event loop (asyncio) runs beside threads: it waits where no order can be given"

#: Runs in which a loop is running.
_looping: list[Runtime] = []


def running(name: str, real: Callable[..., Any]) -> Callable[..., Any]:
    """Stands for a method that runs an event loop."""

    @functools.wraps(real)
    def run_forever(loop: Any) -> Any:
        models = here()
        if models is None:
            return real(loop)
        _alone(models.runtime, name)
        _looping.append(models.runtime)
        try:
            return real(loop)
        finally:
            _looping.remove(models.runtime)

    return run_forever


def selecting(name: str, real: Callable[..., Any]) -> Callable[..., Any]:
    """Stands for the method of a selector that waits."""

    @functools.wraps(real)
    def select(selector: Any, timeout: float | None = None) -> Any:
        models = here()
        if models is None:
            return real(selector, timeout)
        if models.runtime not in _looping:
            count_uncontrolled(models.runtime, name)
            return real(selector, timeout)
        _alone(models.runtime, name)
        ready = real(selector, 0)
        if not ready and timeout is not None:
            models.runtime.sleep(timeout)
            return ready
        count_uncontrolled(models.runtime, name)
        return ready or real(selector, timeout)

    return select


def is_looping(models: Models) -> bool:
    """Whether an event loop is running in the run."""
    return models.runtime in _looping


def _alone(runtime: Runtime, name: str) -> None:
    """Go on only if there is no other thread."""
    if runtime.aborting:
        raise GreenletExit
    if not runtime.solo:
        count_uncontrolled(runtime, name)
        runtime.stop(_CUT)
