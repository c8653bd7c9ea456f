"""Atomic objects and fences, for programs that model algorithms written for C11 or C++11.

They may be used anywhere: outside a check they are plain thread-safe objects, all under one lock. In a check the
front end sets :data:`model`, to which each operation is announced.

    flag = mazurka.atomic(0)
    flag.store(1, "release")
    if flag.compare_exchange(1, 2): ...

The memory orders are C11's. How far they reach depends on the memory model of the check (``--memory-model``); under
``sc``, and outside a check, every order is sequentially consistent:

=====================  ================================  =====================================================
operation              TSO                               PSO
=====================  ================================  =====================================================
load, any order        a plain load                      a plain load
store, relaxed         a plain store                     a plain store
store, release         a plain store                     may not overtake the thread's stores before it
store, seq_cst         reaches memory at once            reaches memory at once
read-modify-write      indivisible, after all the thread's stores before have reached memory
fence                  waits until all the thread's stores before have reached memory
=====================  ================================  =====================================================

Imports nothing of Mazurka, so that importing it costs nothing.
"""

from __future__ import annotations

import _thread
from collections.abc import Callable
from typing import Any, Final, Protocol

ORDERS: Final = ("relaxed", "acquire", "release", "acq_rel", "seq_cst")

_LOADS: Final = ("relaxed", "acquire", "seq_cst")
_STORES: Final = ("relaxed", "release", "seq_cst")


class AtomicsModel(Protocol):
    """The runtime of a check: each thread announces its operations to it before they happen."""

    def is_running(self) -> bool:
        """Whether the caller is a thread of a run; if not, no operations are announced."""
        ...

    def load(self, thing: atomic) -> None:
        """The calling thread is about to read the object."""
        ...

    def store(self, thing: atomic, order: str) -> None:
        """The calling thread is about to write the object with one of ``ORDERS``."""
        ...

    def update(self, thing: atomic) -> None:
        """The calling thread is about to read and write the object in one step."""
        ...

    def attempt(self, thing: atomic, succeeds: Callable[[], bool]) -> bool:
        """Make a compare-exchange as one step; the result is that of ``succeeds``, evaluated within the step."""
        ...

    def fence(self) -> None:
        """Wait until all stores of the calling thread have reached memory."""
        ...


#: Set while programs are checked.
model: AtomicsModel | None = None

_lock: Final = _thread.allocate_lock()


def _running() -> AtomicsModel | None:
    return model if model is not None and model.is_running() else None


def _check(order: str, known: tuple[str, ...]) -> None:
    if order not in known:
        raise ValueError(f"memory order {order!r} is none of {', '.join(known)}")


class atomic:  # noqa: N801  # the name in C11
    """A value that threads read and change indivisibly."""

    __slots__ = ("__weakref__", "_value")

    def __init__(self, value: Any = None) -> None:
        self._value = value

    def load(self, order: str = "seq_cst") -> Any:
        """The value."""
        _check(order, _LOADS)
        if running := _running():
            running.load(self)
        return self._value

    def store(self, value: Any, order: str = "seq_cst") -> None:
        """Replace the value."""
        _check(order, _STORES)
        if running := _running():
            running.store(self, order)
            self._value = value
            return
        with _lock:
            self._value = value

    def exchange(self, value: Any, order: str = "seq_cst") -> Any:
        """Replace the value and return the old one."""
        return self._update(lambda _old: value, order)

    def fetch_add(self, amount: Any, order: str = "seq_cst") -> Any:
        """Add to the value and return the old one."""
        return self._update(lambda old: old + amount, order)

    def fetch_sub(self, amount: Any, order: str = "seq_cst") -> Any:
        """Subtract from the value and return the old one."""
        return self._update(lambda old: old - amount, order)

    def _update(self, change: Callable[[Any], Any], order: str) -> Any:
        _check(order, ORDERS)
        if running := _running():
            running.update(self)
            return self._change(change)
        with _lock:
            return self._change(change)

    def _change(self, change: Callable[[Any], Any]) -> Any:
        old = self._value
        self._value = change(old)
        return old

    def compare_exchange(self, expected: Any, desired: Any, order: str = "seq_cst") -> bool:
        """Replace the value if it equals ``expected``; returns whether it did."""
        _check(order, ORDERS)
        if running := _running():
            return running.attempt(self, lambda: self._replace(expected, desired))
        with _lock:
            return self._replace(expected, desired)

    def _replace(self, expected: Any, desired: Any) -> bool:
        if self._value != expected:
            return False
        self._value = desired
        return True

    def __repr__(self) -> str:
        return f"atomic({self._value!r})"


def fence() -> None:
    """Wait until all stores of this thread have reached memory: a full fence. Outside a check it has no effect."""
    if running := _running():
        running.fence()
