"""The end of the process, and the functions that are called then.

Source: C17, 7.22.4; POSIX.1-2017; glibc, for ``on_exit``, the order of destructors, and the thread that ends last: it
calls ``exit``. A function that is called at exit and calls ``exit`` itself goes on with those that are left.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

from mazurka.program.llvm.faults import ProcessExit
from mazurka.program.runtime.task import EXIT_POINTS
from mazurka.trace.event import Op
from mazurka.trace.targets import ATOMIC, Target

if TYPE_CHECKING:
    from mazurka.program.llvm.machine import Machine

#: The location of the functions that are called at exit.
_AT_EXIT: Final[Target] = (ATOMIC, "the functions of atexit")

#: Those of ``exit``, and those of ``quick_exit``.
_EXIT, _QUICK_EXIT = "atexit", "at_quick_exit"

#: A function's first argument that is the status of the exit, which is not known before.
_STATUS: Final = "the status"


def exit_process(m: Machine, site: int, status: int) -> None:
    """``exit``: the functions of ``atexit`` are called, the last one first, in the thread that calls it."""
    m.threads.leave(m.run.current)
    _call_all(m, site, _EXIT, status)
    for function in m.destructors():
        m.call(function, site)
    raise ProcessExit(status & 255)


def ends_with_calls(m: Machine) -> bool:
    """Whether ``exit`` calls functions of the program, as far as is known."""
    return bool(m.state.get(_EXIT) or m.destructors() or EXIT_POINTS in m.run.points)


def _call_all(m: Machine, site: int, name: str, status: int) -> None:
    while functions := _functions(m, site, name):
        function, *arguments = functions.pop()
        m.call(function, site, *[status if each is _STATUS else each for each in arguments])


def _quick_exit(m: Machine, site: int, status: int) -> None:
    _call_all(m, site, _QUICK_EXIT, status)
    raise ProcessExit(status & 255)


def _exit(m: Machine, _site: int, status: int) -> None:
    raise ProcessExit(status & 255)


def _functions(m: Machine, site: int, name: str) -> list[tuple[Any, ...]]:
    """The functions to call at exit, before one is taken: beside threads that add some, that is a step."""
    if EXIT_POINTS in m.run.points:
        m.memory.step(Op.RMW, _AT_EXIT, site, None, point=True)
    found: list[tuple[Any, ...]] = m.state.setdefault(name, [])
    return found


def at_exit(m: Machine, site: int, function: int, *arguments: Any, name: str = _EXIT) -> int:
    """``atexit``; the arguments are the function's."""
    m.run.need_points(EXIT_POINTS)
    _functions(m, site, name).append((function, *arguments))
    return 0


FUNCTIONS: Final[dict[str, Callable[..., Any]]] = {
    "exit": exit_process,
    "_exit": _exit,
    "_Exit": _exit,
    "quick_exit": _quick_exit,
    "atexit": at_exit,
    "at_quick_exit": lambda m, site, function: at_exit(m, site, function, name=_QUICK_EXIT),
    "on_exit": lambda m, site, function, argument: at_exit(m, site, function, _STATUS, argument),
}
