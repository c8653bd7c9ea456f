"""``semaphore.h``: semaphores, with names or without.

Source: POSIX.1-2017. A semaphore is one of its name, ("sem", object and offset), as for Python programs. In programs in
which a thread is cancelled that waits for one, each is made of a mutex, a condition variable and its value, so that the
wait ends as that of a condition variable does.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

from mazurka.program.llvm.library.cancellation import wait_for_change
from mazurka.program.llvm.library.primitives import CancellableSemaphore, Semaphore
from mazurka.program.llvm.library.thread_storage import set_errno
from mazurka.program.llvm.library.threads import (
    EAGAIN,
    EINVAL,
    EOVERFLOW,
    ETIMEDOUT,
    INVALID,
    attempting,
    deadline,
    failed_with,
)
from mazurka.program.runtime.task import CANCEL_POINTS
from mazurka.trace.event import Op
from mazurka.trace.targets import ATOMIC

if TYPE_CHECKING:
    from mazurka.program.llvm.machine import Machine

#: The greatest value, SEM_VALUE_MAX.
_MOST: Final = (1 << 31) - 1

WAKE_UP_KEPT: Final = (
    "a thread that is cancelled while it waits for a semaphore takes no other thread's wake-up with it"
)


def _kind(m: Machine) -> type[Semaphore | CancellableSemaphore]:
    return CancellableSemaphore if CANCEL_POINTS in m.run.points else Semaphore


def _at(m: Machine, address: int, site: int) -> Semaphore | CancellableSemaphore:
    """The semaphore at an address."""
    found: Semaphore | CancellableSemaphore = m.threads.known(
        address, _kind(m), site, m.threads.not_initialised("semaphore", site)
    )
    return found


def _init(m: Machine, site: int, address: int, _shared: int, value: int) -> int:
    if value > _MOST:
        return failed_with(m, EINVAL)
    kind = _kind(m)
    m.threads.initialise(address, site, lambda name: kind(name, value))
    return 0


def _wait(m: Machine, site: int, address: int, timeout: float | None = None, *, tries: bool = False) -> int:
    """``sem_wait``, ``sem_trywait`` and ``sem_timedwait``."""
    if timeout == INVALID:
        return failed_with(m, EINVAL)
    semaphore = _at(m, address, site)
    down = _down if isinstance(semaphore, Semaphore) else _down_or_leave
    taken = down(m, semaphore, site, timeout, tries=tries)
    m.threads.hold(semaphore, site)
    return failed_with(m, 0 if taken else EAGAIN if tries else ETIMEDOUT)


def _down(m: Machine, semaphore: Any, site: int, timeout: float | None, *, tries: bool) -> bool:
    run = m.run

    def available() -> bool:
        return bool(semaphore.value > 0)

    if tries:
        taken = run.attempt(Op.RMW, semaphore.target, available)
    else:
        taken = run.block(Op.RMW, semaphore.target, available, site=site, waiting_for=semaphore, timeout=timeout)
    semaphore.value -= taken
    run.record_value(semaphore.value, whole=True)
    return taken


def _down_or_leave(m: Machine, semaphore: Any, site: int, timeout: float | None, *, tries: bool) -> bool:
    threads, run = m.threads, m.run
    run.assumed.add(WAKE_UP_KEPT)
    threads.lock(semaphore.mutex, site)
    is_late = tries
    while not (value := semaphore.read(run, site)[0]) and not is_late:
        is_late = wait_for_change(m, site, semaphore, timeout) != 0
    if value:
        semaphore.write(run, site, (value - 1,))
    threads.unlock(semaphore.mutex, site)
    return bool(value)


def _post(m: Machine, site: int, address: int) -> int:
    semaphore, run = _at(m, address, site), m.run
    if isinstance(semaphore, Semaphore):
        run.visit(Op.RMW, semaphore.target, site, None, (), point=True)
        is_full = semaphore.value == _MOST
        semaphore.value += not is_full
        run.record_value(semaphore.value, whole=True)
        return failed_with(m, EOVERFLOW if is_full else 0)
    m.threads.lock(semaphore.mutex, site)
    value = semaphore.read(run, site)[0]
    semaphore.write(run, site, (min(value + 1, _MOST),))
    m.threads.signal(semaphore.condition, site, all_=True)
    m.threads.unlock(semaphore.mutex, site)
    return failed_with(m, EOVERFLOW if value == _MOST else 0)


def _value(m: Machine, site: int, address: int, place: int) -> int:
    semaphore, run = _at(m, address, site), m.run
    if isinstance(semaphore, Semaphore):
        run.visit(Op.READ, semaphore.target, site, None, (), point=True)
        value = semaphore.value
        run.record_value(value, whole=True)
    else:
        m.threads.lock(semaphore.mutex, site)
        value = semaphore.read(run, site)[0]
        m.threads.unlock(semaphore.mutex, site)
    m.memory.store(place, 4, value, site)
    return 0


def _name_of(m: Machine, site: int, place: int) -> tuple[str, str]:
    """Where the semaphore of a name is noted, after a step by which it is looked up or changed."""
    text = m.memory.text(place, site).decode(errors="replace")
    _name_step(m, site, text)
    return ("named semaphore", text)


def _name_step(m: Machine, site: int, text: str) -> None:
    m.memory.step(Op.RMW, (ATOMIC, f"the name of semaphore {text}"), site, None)


def _open(m: Machine, site: int, name: int, flags: int, _mode: int = 0, value: int = 0) -> int:
    """No semaphore has a name at the beginning. One that nobody has open keeps its value."""
    place = _name_of(m, site, name)
    address, kept = m.state.get(place, (0, None))
    if (address or kept is not None) and flags & _CREATED and flags & _EXCLUSIVE:
        set_errno(m, _EEXIST)
        return 0
    if not address:
        if kept is None and (not flags & _CREATED or value > _MOST):
            set_errno(m, EINVAL if flags & _CREATED else _ENOENT)
            return 0
        count = m.state["semaphores", place[1]] = m.state.get(("semaphores", place[1]), 0) + 1
        address = m.memory.of_library(f"the semaphore {place[1]}#{count}", _SIZE, "global").address
        m.state[place] = address, None
        m.state["opened", address] = place, 0
        kind, first = _kind(m), value if kept is None else kept
        m.threads.add(address, lambda name: kind(name, first))
    m.state["opened", address] = place, m.state["opened", address][1] + 1
    return int(address)


def _unlink(m: Machine, site: int, name: int) -> int:
    """Those that have it open go on using it."""
    return failed_with(m, 0 if m.state.pop(_name_of(m, site, name), None) else _ENOENT)


def _close(m: Machine, site: int, address: int) -> int:
    """A semaphore can be used no more once it is closed as often as it has been opened."""
    semaphore = _at(m, address, site)
    if ("opened", address) not in m.state:
        return failed_with(m, EINVAL)
    place, _ = m.state["opened", address]
    _name_step(m, site, place[1])
    count = m.state["opened", address][1] - 1
    m.state["opened", address] = place, count
    if not count:
        if m.state.get(place, (0, None))[0] == address:
            m.state[place] = 0, semaphore.value if isinstance(semaphore, Semaphore) else semaphore.state[0]
        m.threads.destroy(address, site)
    return 0


_ENOENT, _EEXIST = 2, 17

#: The flags ``O_CREAT`` and ``O_EXCL``, and the size of a semaphore.
_CREATED, _EXCLUSIVE, _SIZE = 0o100, 0o200, 32

FUNCTIONS: Final[dict[str, Callable[..., Any]]] = {
    "sem_init": _init,
    "sem_open": _open,
    "sem_close": _close,
    "sem_unlink": _unlink,
    "sem_destroy": lambda m, site, address: m.threads.destroy(address, site),
    "sem_wait": _wait,
    "sem_trywait": attempting(lambda m, site, address: _wait(m, site, address, tries=True)),
    "sem_timedwait": attempting(lambda m, site, address, when: _wait(m, site, address, deadline(m, when, site))),
    "sem_clockwait": attempting(
        lambda m, site, address, clock, when: _wait(m, site, address, deadline(m, when, site, clock))
    ),
    "sem_post": _post,
    "sem_getvalue": _value,
}
