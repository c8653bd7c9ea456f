"""``setjmp.h``, and the handlers that ``pthread_cleanup_push`` adds, which glibc makes of it.

Source: C17, 7.13; POSIX.1-2017; the macros of glibc's ``pthread.h``. A jump ends the functions between the two calls.
A buffer that is a copy of another one cuts the execution.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

from mazurka.program.llvm.faults import ProgramFault, ThreadExit
from mazurka.program.llvm.library.signals import mask_of, set_mask

if TYPE_CHECKING:
    from mazurka.program.llvm.machine import Machine


class JumpFrame:
    """A call of a function that calls ``setjmp``."""

    has_ended = False


class Jump(BaseException):
    """A jump on its way: the frame, the number of the ``setjmp`` there, and the value that it returns."""

    def __init__(self, frame: JumpFrame, place: int, value: int) -> None:
        super().__init__()
        self.frame, self.place, self.value = frame, place, value


def set_jump(m: Machine, site: int, buffer: int, frame: JumpFrame, place: int, saves_mask: int) -> int:
    """``setjmp``, called for the first time. The buffer is written, so that threads that share one are in conflict."""
    thread = m.run.current.index
    m.memory.store(buffer, 8, thread << 32 | place, site)
    m.state["jump", buffer] = (thread, frame, place, mask_of(m) if saves_mask else None)
    return 0


def _jump(m: Machine, site: int, buffer: int, value: int) -> None:
    """``longjmp``."""
    if ("jump", buffer) in m.state:
        m.memory.load(buffer, 8, site)
    thread, frame, place, mask = m.state.get(("jump", buffer), (None, None, 0, None))
    if frame is None:
        m.run.stop(f"the run was cut: longjmp to a buffer that setjmp has not filled ({m.location(site)})")
    if thread != m.run.current.index:
        raise ProgramFault("undefined behaviour", "calls longjmp for a place in another thread", site)
    if frame.has_ended:
        raise ProgramFault("undefined behaviour", "calls longjmp into a function that has returned", site)
    if mask is not None:
        set_mask(m, site, mask)
    raise Jump(frame, place, value & 0xFFFFFFFF or 1)


# -- handlers of threads that end -------------------------------------------------------------------------------------


def _handlers(m: Machine) -> list[int]:
    """The buffers of the running thread's handlers, the last one is called first."""
    found: list[int] = m.state.setdefault(("handlers", m.run.current.index), [])
    return found


def leave_thread(m: Machine, site: int, value: int) -> None:
    """``pthread_exit``: the thread ends after its handlers have run."""
    m.state["leaving", m.run.current.index] = value
    _go_on(m, site)


def is_leaving(m: Machine) -> bool:
    """Whether the running thread is about to end, and calls its handlers."""
    return ("leaving", m.run.current.index) in m.state


def _go_on(m: Machine, site: int) -> None:
    handlers = _handlers(m)
    if handlers:
        _jump(m, site, handlers.pop(), 1)
    raise ThreadExit(m.state["leaving", m.run.current.index])


def _push(m: Machine, _site: int, buffer: int) -> None:
    _handlers(m).append(buffer)


def _pop(m: Machine, _site: int, _buffer: int) -> None:
    _handlers(m).pop()


FUNCTIONS: Final[dict[str, Callable[..., Any]]] = {
    **dict.fromkeys(("longjmp", "_longjmp", "siglongjmp"), _jump),
    "pthread_exit": leave_thread,
    "thrd_exit": leave_thread,
    "__pthread_register_cancel": _push,
    "__pthread_unregister_cancel": _pop,
    "__pthread_unwind_next": lambda m, site, buffer: _go_on(m, site),
}
