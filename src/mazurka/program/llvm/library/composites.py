"""Barriers and ``pthread_once``, made of a mutex, a condition variable and a state.

Source: POSIX.1-2017.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

from mazurka.program.llvm.faults import ThreadExit, Thrown
from mazurka.program.llvm.library.jumps import Jump, is_leaving
from mazurka.program.llvm.library.primitives import Composite
from mazurka.program.llvm.library.threads import EINVAL

if TYPE_CHECKING:
    from mazurka.program.llvm.machine import Machine


#: A barrier is for fewer threads, in glibc.
_MOST_THREADS: Final = (1 << 31) - 1


def _barrier_init(m: Machine, site: int, address: int, _attributes: int, count: int) -> int:
    if not 0 < count < _MOST_THREADS:
        return EINVAL
    m.threads.initialise(address, site, Composite)
    m.threads.primitives[address].state = (count, 0, 0)
    return 0


def _barrier_wait(m: Machine, site: int, address: int) -> int:
    """Wait at a barrier, whose state is its count, the threads that have arrived, and the number of its round."""
    barrier = m.threads.known(address, Composite, site, m.threads.not_initialised("barrier", site))
    threads, run = m.threads, m.run
    threads.lock(barrier.mutex, site)
    count, arrived, now = barrier.read(run, site)
    last = arrived + 1 == count
    barrier.write(run, site, (count, 0, now + 1) if last else (count, arrived + 1, now))
    if last:
        threads.signal(barrier.condition, site, all_=True)
    else:
        while barrier.read(run, site)[2] == now:
            threads.wait(barrier.condition, barrier.mutex, site)
    threads.unlock(barrier.mutex, site)
    return -1 if last else 0


def begin_once(m: Machine, site: int, address: int) -> bool:
    """Begin an initialisation, unless it has taken place: wait until another thread has done it, or given up. Returns
    whether the running thread is to do it. The state says whether it is being done, or is done."""
    once = m.threads.known(address, Composite, site, Composite)
    threads, run = m.threads, m.run
    threads.lock(once.mutex, site)
    while (state := once.read(run, site)) == ("running",):
        threads.wait(once.condition, once.mutex, site)
    if not state:
        once.write(run, site, ("running",))
    threads.unlock(once.mutex, site)
    return not state


def end_once(m: Machine, site: int, address: int, *, done: bool) -> None:
    """See :func:`begin_once`; if it is not done, the next thread will do it."""
    once = m.threads.known(address, Composite, site, Composite)
    m.threads.lock(once.mutex, site)
    once.write(m.run, site, ("done",) if done else ())
    m.threads.signal(once.condition, site, all_=True)
    m.threads.unlock(once.mutex, site)


def _once(m: Machine, site: int, address: int, function: int) -> int:
    """``pthread_once``. As in glibc, the routine is called again if it has ended its thread, by an exception in C++, by
    ``pthread_exit`` or by cancellation, but not if ``longjmp`` has left it."""
    if begin_once(m, site, address):
        try:
            m.call(function, site)
        except (Thrown, ThreadExit, Jump) as error:
            if not isinstance(error, Jump) or is_leaving(m):
                end_once(m, site, address, done=False)
            raise
        end_once(m, site, address, done=True)
    return 0


FUNCTIONS: Final[dict[str, Callable[..., Any]]] = {
    "pthread_barrier_init": _barrier_init,
    "pthread_barrier_destroy": lambda m, site, address: m.threads.destroy(address, site),
    "pthread_barrier_wait": _barrier_wait,
    "pthread_once": _once,
}
