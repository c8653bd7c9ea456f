"""Locks of modules that are tracked though they were imported before: the standard library's, mostly.

Such a module has captured functions and types that make locks (``from _thread import RLock``), and made some locks for
itself. Both are replaced among its globals. A lock that is held now, or that classes, instances or other modules refer
to, stays as it is and is not recorded.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from mazurka.program.python.recording import locks

#: Functions and types that make locks -> their replacements while a program is recorded.
_MAKERS: Final[dict[Any, Any]] = {
    locks.real_lock: locks.LowLock,
    locks.real_rlock: locks.LowRLock,
}
_KINDS: Final = {type(locks.real_lock()): locks.RecordedLock, locks.real_rlock: locks.RecordedRLock}


def adopt_locks(names: dict[str, Any]) -> Callable[[], None]:
    """Replace the makers and locks among a module's globals; returns the function that undoes this."""
    found = {name: new for name, value in list(names.items()) if (new := _instead(value)) is not None}
    before = {name: names[name] for name in found}
    names.update(found)
    return lambda: names.update(before)


def _instead(value: Any) -> Any:
    if value is locks.real_lock or value is locks.real_rlock:
        return _MAKERS[value]
    kind = _KINDS.get(type(value))
    if kind is None or not _is_free(value):
        return None
    return kind(True)


def _is_free(lock: Any) -> bool:
    if not lock.acquire(False):
        return False
    lock.release()
    owned: Callable[[], bool] = getattr(lock, "_is_owned", bool)  # by this thread, which would acquire it once more
    return not owned()
