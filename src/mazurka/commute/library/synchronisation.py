"""Primitives that threads wait for: locks, events, conditions, semaphores, barriers.

A call of the model is one step. If CPython's call consists of two, beginning to wait and going on, the model has two
methods.
"""

from __future__ import annotations

from mazurka.commute.shared_type import BLOCKED, SharedType, Step
from mazurka.trace.literals import Raised

_THREADS = ("1", "2")


class LockType(SharedType):
    """``threading.Lock``; its state is the thread ``t`` that holds it; ``try_acquire`` does not wait."""

    name = "threading.Lock"
    initials = ("",)  # the holder
    scope = {"t": _THREADS}

    def acquire(self, s: str, t: str) -> Step:
        return BLOCKED if s else (t, True)

    def try_acquire(self, s: str, t: str) -> Step:
        return (s, False) if s else (t, True)

    def release(self, s: str) -> Step:
        return ("", None) if s else (s, Raised("RuntimeError"))

    def locked(self, s: str) -> Step:
        return s, bool(s)

    fine = """
        try_acquire || try_acquire, locked : s != ''
        release || release, locked         : s == ''
        locked || locked                   : True
    """

    coarse = """
        try_acquire || try_acquire : not r1 and not r2
        try_acquire || locked      : not r1
        release || release         : raised(r1) and raised(r2)
        release || locked          : raised(r1)
        locked || locked           : True
    """


class EventType(SharedType):
    """``threading.Event``; ``wait`` without a timeout."""

    name = "threading.Event"
    initials = (False,)

    def set(self, s: bool) -> Step:
        return True, None

    def clear(self, s: bool) -> Step:
        return False, None

    def is_set(self, s: bool) -> Step:
        return s, s

    def wait(self, s: bool) -> Step:
        return (s, True) if s else BLOCKED

    fine = """
        set || set             : True
        clear || clear         : True
        is_set || is_set, wait : True
        wait || wait           : True
        set || is_set, wait    : s
        clear || is_set        : not s
    """

    coarse = """
        set || set             : True
        clear || clear         : True
        is_set || is_set, wait : True
        wait || wait           : True
    """


class ConditionType(SharedType):
    """``threading.Condition``: with ``wait`` the thread ``t`` begins to wait, ``notify`` wakes the one that has waited
    longest (thesis, figure 3.2)."""

    name = "threading.Condition"
    initials = ((),)  # the waiting threads, the longest waiting first
    scope = {"t": _THREADS}

    def bounded(self, s: tuple[str, ...]) -> bool:
        return len(s) <= 3

    def wait(self, s: tuple[str, ...], t: str) -> Step:
        return (*s, t), None

    def notify(self, s: tuple[str, ...]) -> Step:
        return s[1:], None

    def notify_all(self, s: tuple[str, ...]) -> Step:
        return (), None

    fine = """
        wait || wait                 : t1 == t2
        wait || notify               : len(s) != 0
        notify || notify, notify_all : True
        notify_all || notify_all     : True
    """

    coarse = """
        notify || notify, notify_all : True
        notify_all || notify_all     : True
    """


class SemaphoreType(SharedType):
    """``threading.Semaphore``; ``try_acquire`` does not wait."""

    name = "threading.Semaphore"
    initials = (1,)

    def bounded(self, s: int) -> bool:
        return s <= 3

    def acquire(self, s: int) -> Step:
        return (s - 1, True) if s else BLOCKED

    def try_acquire(self, s: int) -> Step:
        return (s - 1, True) if s else (s, False)

    def release(self, s: int) -> Step:
        return s + 1, None

    fine = """
        acquire || acquire                  : True
        release || release                  : True
        acquire, try_acquire || try_acquire : s != 1
        acquire, try_acquire || release     : s != 0
    """

    coarse = """
        acquire || acquire         : True
        release || release         : True
        acquire || try_acquire     : r2
        try_acquire || try_acquire : r1 and r2 or not r1 and not r2
    """


class BarrierType(SharedType):
    """``threading.Barrier``: with ``arrive`` a thread comes to it, and gets its index."""

    name = "threading.Barrier"
    functions = {"parties": lambda s: s[1]}
    initials = ((0, 1), (0, 2), (0, 3))  # the number of waiting threads, and the number that it waits for

    def arrive(self, s: tuple[int, int]) -> Step:
        return ((s[0] + 1) % s[1], s[1]), s[0]

    def n_waiting(self, s: tuple[int, int]) -> Step:
        return s, s[0]

    fine = """
        arrive || arrive, n_waiting : parties(s) == 1
        n_waiting || n_waiting      : True
    """

    coarse = """
        n_waiting || n_waiting : True
    """
