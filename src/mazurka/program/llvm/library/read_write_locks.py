"""Read-write locks of pthreads.

Source: POSIX.1-2017; glibc. Readers go first by default: they do not wait for a writer that waits. Readers commute: a
thread that reads uses parts of the lock that are its own, a mutex and a condition variable, and a writer uses those of
all readers, and one pair for writers. (So does the "big-reader lock" of Linux 2.4.) Only writers, and a reader and a
writer, are in an order.

Under a part's mutex its reader notes that it reads, and finds out whether a thread writes. A writer holds the mutexes
of all parts, in the order of their numbers, while it finds out whether the lock is free, and while it gives it back.
If it is not free, it waits at the part that is in its way. A part's state is a location, so that the model of an
execution knows on which state a thread has acted; the mutex orders its accesses, which are no points.

A lock of ``PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP`` has one part, that of writers: a thread that would share it
with readers waits while a writer waits.

Which threads read a lock is learnt: a writer has to use their parts even before they first come to the lock. A mark in
:attr:`~mazurka.program.runtime.task.Learned.points` stands for a reader. It has fingerprints of the lock's name and the
thread's number: where two are equal, some parts are used for nothing, or two threads share one.

Cost: one mutex for each operation of a reader, one for each reader for those of a writer.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

from mazurka.program.llvm.faults import ProgramFault
from mazurka.program.llvm.library.attributes import NONRECURSIVE_WRITERS_FIRST, attribute
from mazurka.program.llvm.library.primitives import Composite, ReadWriteLock
from mazurka.program.llvm.library.threads import (
    EBUSY,
    EDEADLK,
    EINVAL,
    ETIMEDOUT,
    INVALID,
    attempting,
    deadline,
)
from mazurka.trace.fingerprints import fingerprint_of_name

if TYPE_CHECKING:
    from mazurka.program.llvm.machine import Machine

#: The marks of readers: so many bits for the thread's number, twice as many for that and the lock's fingerprint; the
#: first mark.
_BITS: Final = 28
_MARKS: Final = 1 << 2 * _BITS
_FIRST: Final = -(1 << 61)

#: The bits for the number of a thread under its parent, and the most generations whose numbers fit in.
_BIRTH: Final = 6
_GENERATIONS: Final = 4
_HASHED: Final = 1 << _BITS - 1

#: The offset of the kind in glibc's ``pthread_rwlock_t``.
_KIND_AT: Final = 48

#: The number of the part of writers.
_WRITERS: Final = -1


def _print(name: str) -> int:
    return fingerprint_of_name(name) % (1 << _BITS)


def _number(thread: str) -> int:
    """The number of a thread: its name, as far as that fits in."""
    births = [int(each) for each in thread.split(".")[1:]]
    if len(births) > _GENERATIONS or any(each >> _BIRTH for each in births):
        return _HASHED | _print(thread)
    return sum(each << _BIRTH * depth for depth, each in enumerate(births))


def _reader(number: int) -> str:
    """The name of the thread that has this number."""
    if number & _HASHED:
        return f"{number:x}"
    births = [number >> _BIRTH * depth & (1 << _BIRTH) - 1 for depth in range(_GENERATIONS)]
    return ".".join(["0", *[str(each) for each in births if each]])


def _known_readers(m: Machine, lock: ReadWriteLock) -> list[int]:
    """The numbers of the parts of threads that have read a lock in some execution."""
    readers: dict[int, list[int]] | None = m.state.get("readers of locks")
    if readers is None:
        readers = m.state["readers of locks"] = {}
        for mark in m.run.points:
            if 0 <= (number := _FIRST - mark) < _MARKS:
                readers.setdefault(number >> _BITS, []).append(number % (1 << _BITS))
    return readers.get(_print(lock.name), [])


def _at(m: Machine, address: int, site: int) -> ReadWriteLock:
    """The lock at an address; a static initialiser may have given it its kind."""

    def make(name: str) -> ReadWriteLock:
        kind = int.from_bytes(m.memory.peek(address + _KIND_AT, 4), "little")
        return ReadWriteLock(name, writers_first=kind == NONRECURSIVE_WRITERS_FIRST)

    found: ReadWriteLock = m.threads.known(address, ReadWriteLock, site, make)
    return found


def _init(m: Machine, site: int, address: int, attributes: int) -> int:
    kind = attribute(m, site, attributes, "pthread_rwlockattr", "kind_np")
    is_first = kind == NONRECURSIVE_WRITERS_FIRST
    return int(m.threads.initialise(address, site, lambda name: ReadWriteLock(name, writers_first=is_first)))


def _part(m: Machine, lock: ReadWriteLock, number: int) -> Composite:
    found = lock.parts.get(number)
    if found is None:
        name = lock.name if number == _WRITERS else f"{lock.name}, thread {_reader(number)}"
        found = lock.parts[number] = Composite(name)
    return found


def _own_part(m: Machine, lock: ReadWriteLock) -> Composite:
    """The part of the running thread, which reads."""
    if lock.writers_first:
        return _part(m, lock, _WRITERS)
    number = _number(m.run.current.name)
    m.run.need_points(_FIRST - (_print(lock.name) << _BITS | number))
    return _part(m, lock, number)


def _parts(m: Machine, lock: ReadWriteLock) -> list[Composite]:
    """All parts, in the order in which their mutexes are taken."""
    for number in (_WRITERS, *(() if lock.writers_first else _known_readers(m, lock))):
        _part(m, lock, number)
    return [lock.parts[number] for number in sorted(lock.parts)]


def _read_lock(m: Machine, site: int, address: int, *, tries: bool = False, timeout: float | None = None) -> int:
    if timeout == INVALID:
        return EINVAL
    lock = _at(m, address, site)
    threads, run = m.threads, m.run
    me = run.current.name
    part = _own_part(m, lock)
    threads.lock(part.mutex, site)
    part.look(run, site)
    while lock.writer or lock.waiting and (tries or lock.readers):
        error = EBUSY if tries else EDEADLK if lock.writer == me else 0
        if not error and threads.wait(part.condition, part.mutex, site, timeout):
            error = ETIMEDOUT
        if error:
            threads.unlock(part.mutex, site)
            return error
        part.look(run, site)
    lock.readers[me] = lock.readers.get(me, 0) + 1
    part.change(run, site, _state(lock, me))
    threads.unlock(part.mutex, site)
    threads.hold(lock, site)
    return 0


def _state(lock: ReadWriteLock, reader: str) -> tuple[Any, ...]:
    """The state of a part; ``reader`` is the thread that it is of."""
    if lock.writers_first:
        return lock.writer, tuple(sorted(lock.readers.items())), lock.waiting
    return lock.writer, lock.readers.get(reader, 0)


def _write_lock(m: Machine, site: int, address: int, *, tries: bool = False, timeout: float | None = None) -> int:
    if timeout == INVALID:
        return EINVAL
    lock = _at(m, address, site)
    threads, run = m.threads, m.run
    me = run.current.name
    while True:
        parts = _take_all(m, site, lock)
        blocking = _blocking_part(m, lock)
        if blocking is None:
            break
        error = EBUSY if tries else EDEADLK if lock.writer == me else 0
        _give_all(m, site, [each for each in parts if error or each is not blocking])
        if error:
            return error
        if lock.writers_first:
            _count_writer(m, site, lock, blocking, 1)
        is_late = threads.wait(blocking.condition, blocking.mutex, site, timeout)
        if lock.writers_first:
            _count_writer(m, site, lock, blocking, -1)
        threads.unlock(blocking.mutex, site)
        if is_late:
            return ETIMEDOUT
    lock.writer = me
    for part in parts:
        part.change(run, site, _state(lock, ""))
    _give_all(m, site, parts)
    threads.hold(lock, site)
    return 0


def _count_writer(m: Machine, site: int, lock: ReadWriteLock, part: Composite, by: int) -> None:
    """A writer begins to wait, or has waited: then readers that have waited for it look again."""
    lock.waiting += by
    part.change(m.run, site, _state(lock, ""))
    if by < 0:
        m.threads.signal(part.condition, site, all_=True)


def _blocking_part(m: Machine, lock: ReadWriteLock) -> Composite | None:
    """The part at which a writer has to wait; None if the lock is free."""
    if lock.writer or lock.writers_first and lock.readers:
        return _part(m, lock, _WRITERS)
    return _part(m, lock, min(map(_number, lock.readers))) if lock.readers else None


def _take_all(m: Machine, site: int, lock: ReadWriteLock) -> list[Composite]:
    """Take the mutexes of all parts, and look at their states."""
    parts = _parts(m, lock)
    for part in parts:
        m.threads.lock(part.mutex, site)
        part.look(m.run, site)
    known = {*parts}
    if any(each not in known for each in _parts(m, lock)):  # a reader came that no execution has shown before
        _give_all(m, site, parts)
        return _take_all(m, site, lock)
    return parts


def _give_all(m: Machine, site: int, parts: list[Composite]) -> None:
    for part in reversed(parts):
        m.threads.unlock(part.mutex, site)


def _unlock(m: Machine, site: int, address: int) -> int:
    lock = _at(m, address, site)
    threads, run = m.threads, m.run
    me = run.current.name
    if lock.writer == me:
        parts = _take_all(m, site, lock)
        lock.writer = ""
    elif me in lock.readers:
        parts = [_own_part(m, lock)]
        threads.lock(parts[0].mutex, site)
        lock.readers[me] -= 1
        if not lock.readers[me]:
            del lock.readers[me]
    else:
        raise ProgramFault("misuse of a lock", f"unlocks {lock.name}, which the thread does not have", site)
    for part in parts:
        part.change(run, site, _state(lock, me))
        threads.signal(part.condition, site, all_=True)
    _give_all(m, site, parts)
    return 0


def _timed(lock: Callable[..., int]) -> Callable[..., int]:
    return lambda m, site, address, when: lock(m, site, address, timeout=deadline(m, when, site))


def _clocked(lock: Callable[..., int]) -> Callable[..., int]:
    return lambda m, site, address, clock, when: lock(m, site, address, timeout=deadline(m, when, site, clock))


FUNCTIONS: Final[dict[str, Callable[..., Any]]] = {
    "pthread_rwlock_init": _init,
    "pthread_rwlock_destroy": lambda m, site, address: m.threads.destroy(address, site),
    "pthread_rwlock_rdlock": _read_lock,
    "pthread_rwlock_wrlock": _write_lock,
    "pthread_rwlock_tryrdlock": attempting(lambda m, site, address: _read_lock(m, site, address, tries=True)),
    "pthread_rwlock_trywrlock": attempting(lambda m, site, address: _write_lock(m, site, address, tries=True)),
    "pthread_rwlock_timedrdlock": attempting(_timed(_read_lock)),
    "pthread_rwlock_timedwrlock": attempting(_timed(_write_lock)),
    "pthread_rwlock_clockrdlock": attempting(_clocked(_read_lock)),
    "pthread_rwlock_clockwrlock": attempting(_clocked(_write_lock)),
    "pthread_rwlock_unlock": _unlock,
}
