"""``pthread_cancel``: a thread ends at its next cancellation point.

Source: POSIX.1-2017, 2.9.5; glibc. The request is a location of each thread, which ``pthread_cancel`` writes and the
thread's cancellation points read. All waits that are cancellation points are for condition variables: those of pipes
and sockets, and, in programs in which a thread is cancelled that waits for a semaphore or for another thread's end,
those for these, too (``CANCEL_POINTS``, learnt from the first execution in which that happens). So there is one way to
end a wait, :meth:`~mazurka.program.llvm.library.threads.Threads.cancel`. A thread whose wait has ended, but which has
not gone on, is cancelled there, which POSIX leaves open. One that sleeps ends after its sleep. An execution is cut in
which a thread is cancelled at any place (asynchronously).

Only programs that refer to ``pthread_cancel`` have cancellation points.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

from mazurka.program.llvm.library.jumps import leave_thread
from mazurka.program.llvm.library.primitives import Composite
from mazurka.program.llvm.library.threads import EINVAL, ESRCH, INVALID, cancellation_of, condition_at, deadline
from mazurka.program.runtime.task import CANCEL_POINTS, Task
from mazurka.trace.event import Op

if TYPE_CHECKING:
    from mazurka.program.llvm.machine import Machine

#: Whether a program has cancellation points, by the function that it refers to.
CANCELS: Final = "pthread_cancel"

#: The result of a thread that was cancelled.
_CANCELED: Final = (1 << 64) - 1

_SLEEPS: Final = frozenset({"sleep", "usleep", "nanosleep", "clock_nanosleep"})
_WAITS: Final = frozenset({"pthread_cond_wait", "pthread_cond_timedwait", "pthread_cond_clockwait"})

#: Functions whose waits end by cancellation in programs of which that is known to happen.
_LEARNT: Final = frozenset({"pthread_join", "sem_wait", "sem_timedwait", "sem_clockwait"})

#: Functions that are cancellation points.
_POINTS: Final = frozenset(
    {
        *_SLEEPS,
        *_WAITS,
        *_LEARNT,
        *"open open64 creat close read write pread pread64 pwrite pwrite64 readv writev fsync fdatasync".split(),
        *"accept accept4 connect recv recvfrom send sendto sendmsg poll select".split(),
    }
)


def as_point(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    """A function of the library, as a cancellation point if it is one."""
    if name not in _POINTS:
        return function

    def called(m: Machine, site: int, *given: Any) -> Any:
        test(m, site)
        task = m.run.current
        m.state["point", task.index] = name
        try:
            result = function(m, site, *given)
        finally:
            m.state.pop(("point", task.index), None)
        if name in _SLEEPS:
            test(m, site)
        return result

    return called


def test(m: Machine, site: int) -> None:
    """A cancellation point: end the running thread if that has been requested."""
    task = m.run.current
    if not m.run.solo:
        m.memory.step(Op.READ, cancellation_of(task), site, lambda: m.threads.request(task))
    if m.threads.is_cancelled(task):
        leave_cancelled(m, site)


def leave_cancelled(m: Machine, site: int) -> None:
    """The running thread ends, cancelled."""
    m.threads.requests.discard(m.run.current.index)
    leave_thread(m, site, _CANCELED)


def _cancel(m: Machine, site: int, number: int) -> int:
    task = m.threads.ids.get(number)
    if task is None:
        return ESRCH
    run = m.run
    if not run.solo:
        m.memory.step(Op.WRITE, cancellation_of(task), site, lambda: m.threads.request(task))
    if task.done:
        return 0
    m.threads.requests.add(task.index)
    if not m.threads.is_cancelled(task):
        return 0
    if m.state.get(("asynchronous", task.index)):
        run.stop(f"the run was cut: a thread is cancelled asynchronously ({m.location(site)})")
    if not m.threads.cancel(task) and task is not run.current and _waits_elsewhere(m, task):
        run.need_points(CANCEL_POINTS)
        run.stop()
    return 0


def _waits_elsewhere(m: Machine, task: Task) -> bool:
    is_learnt = CANCEL_POINTS in m.run.points
    return not is_learnt and task.guard is not None and m.state.get(("point", task.index)) in _LEARNT


def _wait(m: Machine, site: int, condition: int, mutex: int, when: int = 0, clock: int | None = None) -> int:
    """``pthread_cond_wait``, also until a time on a clock (None: the condition variable's)."""
    threads, found = m.threads, condition_at(m, condition, site)
    timeout = deadline(m, when, site, found.clock if clock is None else clock) if when else None
    if timeout == INVALID:
        return EINVAL
    result, is_cancelled = threads.wait_as_point(found, threads.mutex(mutex, site), site, timeout)
    if is_cancelled:
        leave_cancelled(m, site)
    return int(result)


def wait_for_change(m: Machine, site: int, part: Composite, timeout: float | None = None) -> int:
    """Wait for the state of a part to change, whose mutex the thread has. If the thread is cancelled it gives the mutex
    back, and ends."""
    result, is_cancelled = m.threads.wait_as_point(part.condition, part.mutex, site, timeout)
    if is_cancelled:
        m.threads.unlock(part.mutex, site)
        leave_cancelled(m, site)
    return int(result)


def _join(m: Machine, site: int, number: int, place: int) -> int:
    threads, run = m.threads, m.run
    task = threads.ids.get(number)
    if CANCEL_POINTS in run.points and task not in (None, run.current) and task.index not in threads.detached:
        ending = threads.ending(task)
        threads.lock(ending.mutex, site)
        while not ending.read(run, site):
            wait_for_change(m, site, ending)
        threads.unlock(ending.mutex, site)
    return int(threads.join(site, number, place))


def _set_state(m: Machine, site: int, state: int, before: int) -> int:
    index = m.run.current.index
    if state not in (0, 1):
        return EINVAL
    if before:
        m.memory.store(before, 4, int(index in m.threads.uncancellable), site)
    (m.threads.uncancellable.add if state else m.threads.uncancellable.discard)(index)
    _test_if_asynchronous(m, site)
    return 0


def _set_type(m: Machine, site: int, type_: int, before: int) -> int:
    index = m.run.current.index
    if type_ not in (0, 1):
        return EINVAL
    if before:
        m.memory.store(before, 4, m.state.get(("asynchronous", index), 0), site)
    m.state["asynchronous", index] = type_
    _test_if_asynchronous(m, site)
    return 0


def _test_if_asynchronous(m: Machine, site: int) -> None:
    """A request that came before takes effect at once; one that comes later cuts the execution."""
    if m.cancels and m.state.get(("asynchronous", m.run.current.index)):
        test(m, site)


FUNCTIONS: Final[dict[str, Callable[..., Any]]] = {
    CANCELS: _cancel,
    "pthread_join": _join,
    "pthread_cond_wait": _wait,
    "pthread_cond_timedwait": _wait,
    "pthread_cond_clockwait": lambda m, site, condition, mutex, clock, when: _wait(
        m, site, condition, mutex, when, clock
    ),
    "pthread_testcancel": lambda m, site: test(m, site) if m.cancels else None,
    "pthread_setcancelstate": _set_state,
    "pthread_setcanceltype": _set_type,
}
