"""Waiting for an atomic object of C++20 to change: what ``std::atomic::wait``, ``std::latch``, ``std::barrier``,
``std::counting_semaphore`` and ``std::stop_token`` call in libc++.

Source: C++20, 31.6 (waiting and notifying); libc++'s ``src/atomic.cpp``; futex(2). The threads that wait for an object
are those that wait for a condition variable, whose mutex makes the look at the value and the beginning of the wait one
step to those that notify. Objects of other sizes than a futex have a number of notifications in place of a value. Only
the address of an object counts, so that it may be notified when it has ended.

The mutex orders more than the standard says. So nothing is verified under TSO and PSO, or of data races.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

from mazurka.program.llvm.library.primitives import Composite
from mazurka.program.memory import MemoryModel

if TYPE_CHECKING:
    from mazurka.program.llvm.machine import Machine

_UNSURE: Final = "the orderings of waits for atomic objects, and of their notifications"

#: Whether a value, or a number of notifications, is still the old one; takes the step by which it looks.
Same = Callable[[Composite], bool]


def _waiting(m: Machine, address: int) -> Composite:
    """What threads wait at for the object of an address."""
    if m.memory.model is not MemoryModel.SC or m.memory.atomic_stores is not None:
        m.run.untracked[_UNSURE] = m.run.untracked.get(_UNSURE, 0) + 1
    address = int(address)
    found: Composite | None = m.state.get(("waits for", address))
    if found is None:
        found = m.state["waits for", address] = Composite(f"waits for {m.place(address)}")
        found.state = (0,)
    return found


def _wait(m: Machine, site: int, address: int, is_same: Same) -> None:
    part, threads = _waiting(m, address), m.threads
    threads.lock(part.mutex, site)
    if is_same(part):
        threads.wait(part.condition, part.mutex, site)
    threads.unlock(part.mutex, site)


def _wait_for_value(size: int) -> Callable[..., None]:
    def function(m: Machine, site: int, address: int, old: int) -> None:
        before = int.from_bytes(m.memory.read(old, size, site), "little")
        _wait(m, site, address, lambda part: int(m.memory.atomic_load(address, size, site)) == before)

    return function


def _notify(m: Machine, site: int, address: int, *, all_: bool, counts: bool) -> None:
    part, threads = _waiting(m, address), m.threads
    threads.lock(part.mutex, site)
    if counts:
        part.write(m.run, site, (part.state[0] + 1,))
    threads.signal(part.condition, site, all_=all_)
    threads.unlock(part.mutex, site)


def _monitor(m: Machine, site: int, address: int) -> int:
    """The number of notifications so far."""
    part, threads = _waiting(m, address), m.threads
    threads.lock(part.mutex, site)
    number = int(part.read(m.run, site)[0])
    threads.unlock(part.mutex, site)
    return number


def _wait_for_notification(m: Machine, site: int, address: int, before: int) -> None:
    _wait(m, site, address, lambda part: bool(part.read(m.run, site)[0] == before))


def _notifier(*, all_: bool, counts: bool = False) -> Callable[..., None]:
    return lambda m, site, address: _notify(m, site, address, all_=all_, counts=counts)


_SIZES: Final = (4, 8)

FUNCTIONS: Final[dict[str, Callable[..., Any]]] = {
    **{f"_ZNSt3__120__atomic_wait_nativeILm{size}EEEvPKvS2_": _wait_for_value(size) for size in _SIZES},
    **{f"_ZNSt3__126__atomic_notify_one_nativeILm{size}EEEvPKv": _notifier(all_=False) for size in _SIZES},
    **{f"_ZNSt3__126__atomic_notify_all_nativeILm{size}EEEvPKv": _notifier(all_=True) for size in _SIZES},
    "_ZNSt3__123__atomic_monitor_globalEPKv": _monitor,
    "_ZNSt3__126__atomic_wait_global_tableEPKvi": _wait_for_notification,
    "_ZNSt3__132__atomic_notify_one_global_tableEPKv": _notifier(all_=True, counts=True),
    "_ZNSt3__132__atomic_notify_all_global_tableEPKv": _notifier(all_=True, counts=True),
}
