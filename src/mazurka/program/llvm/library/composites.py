"""Read-write locks, barriers and ``pthread_once``, made of a mutex, a condition variable and a state.

Source: POSIX.1-2017.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

from mazurka.program.llvm.faults import ProgramFault, ThreadExit, Thrown
from mazurka.program.llvm.library.jumps import Jump, is_leaving
from mazurka.program.llvm.library.primitives import Composite
from mazurka.program.llvm.library.threads import EBUSY, EINVAL, ETIMEDOUT, deadline

if TYPE_CHECKING:
    from mazurka.program.llvm.machine import Machine


def _reader_lock(
    m: Machine, site: int, address: int, *, writes: bool, tries: bool = False, timeout: float | None = None
) -> int:
    """Take a read-write lock, whose state is its writer ("" for none) and its readers."""
    lock = m.threads.known(address, Composite, site, Composite)
    threads, run = m.threads, m.run
    me = run.current.name
    threads.lock(lock.mutex, site)
    while True:
        writer, readers = lock.read(run, site) or ("", ())
        if not writer and not (writes and readers):
            break
        if tries:
            threads.unlock(lock.mutex, site)
            return EBUSY
        if threads.wait(lock.condition, lock.mutex, site, timeout):
            threads.unlock(lock.mutex, site)
            return ETIMEDOUT
    lock.write(run, site, (me, ()) if writes else ("", (*readers, me)))
    threads.unlock(lock.mutex, site)
    return 0


def _reader_unlock(m: Machine, site: int, address: int) -> int:
    lock = m.threads.known(address, Composite, site, Composite)
    threads, run = m.threads, m.run
    me = run.current.name
    threads.lock(lock.mutex, site)
    writer, readers = lock.read(run, site) or ("", ())
    if writer != me and me not in readers:
        raise ProgramFault("misuse of a lock", f"unlocks {lock.condition.name}, which the thread does not have", site)
    left = list(readers)
    if writer != me:
        left.remove(me)
    lock.write(run, site, ("", tuple(left)))
    threads.signal(lock.condition, site, all_=True)
    threads.unlock(lock.mutex, site)
    return 0


def _barrier_init(m: Machine, site: int, address: int, _attributes: int, count: int) -> int:
    if not count:
        return EINVAL
    m.threads.initialise(address, site, Composite)
    m.threads.primitives[address].state = (count, 0, 0)
    return 0


def _barrier_wait(m: Machine, site: int, address: int) -> int:
    """Wait at a barrier, whose state is its count, the threads that have arrived, and the number of its round."""
    barrier = m.threads.known(address, Composite, site, Composite)
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
    "pthread_rwlock_init": lambda m, site, address, attributes: m.threads.initialise(address, site, Composite),
    "pthread_rwlock_destroy": lambda m, site, address: m.threads.destroy(address, site),
    "pthread_rwlock_rdlock": lambda m, site, address: _reader_lock(m, site, address, writes=False),
    "pthread_rwlock_wrlock": lambda m, site, address: _reader_lock(m, site, address, writes=True),
    "pthread_rwlock_tryrdlock": lambda m, site, address: _reader_lock(m, site, address, writes=False, tries=True),
    "pthread_rwlock_trywrlock": lambda m, site, address: _reader_lock(m, site, address, writes=True, tries=True),
    "pthread_rwlock_timedrdlock": lambda m, site, address, when: _reader_lock(
        m, site, address, writes=False, timeout=deadline(m, when, site)
    ),
    "pthread_rwlock_timedwrlock": lambda m, site, address, when: _reader_lock(
        m, site, address, writes=True, timeout=deadline(m, when, site)
    ),
    "pthread_rwlock_unlock": _reader_unlock,
    "pthread_barrier_init": _barrier_init,
    "pthread_barrier_destroy": lambda m, site, address: m.threads.destroy(address, site),
    "pthread_barrier_wait": _barrier_wait,
    "pthread_once": _once,
}
