"""The events of locks: whichever way a lock is made and named, `acquire` and `release` are also those of ``with``."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest
from tests.stated_properties import calls, checked, recorded, stated, word

from mazurka.properties.property import Anything, Named, Property

_LOCK: Final = (
    *("threading.Lock", "_thread.lock", "_thread.LockType", "_thread.allocate_lock", "shop.Own", "__main__.Own"),
)

#: How a lock is made, and the names of its class.
_MADE: Final[dict[str, tuple[str, ...]]] = {
    "threading.Lock()": _LOCK,
    "Own()": _LOCK,
    "_thread.allocate_lock()": _LOCK,
    "threading.RLock()": ("threading.RLock", "_thread.RLock"),
    "_thread.RLock()": ("threading.RLock", "_thread.RLock"),
    "threading.Condition()": ("threading.Condition",),
    "threading.Condition(Own())": ("threading.Condition",),
    "threading.Semaphore()": ("threading.Semaphore",),
    "threading.BoundedSemaphore()": ("threading.BoundedSemaphore", "threading.Semaphore"),
    "multiprocessing.Lock()": ("multiprocessing.synchronize.Lock",),
}

#: The names of the lock that a condition keeps.
_KEPT: Final = {"threading.Condition()": ("threading.RLock", "_thread.RLock"), "threading.Condition(Own())": _LOCK}

_PROGRAM: Final = """
    import _thread
    import multiprocessing
    import threading
    from threading import Lock as Own

    lock = {made}

    def use():
        with lock:
            pass
        lock.acquire()
        lock.release()

    thread = threading.Thread(target=use)
    thread.start()
    thread.join()
"""


def _used(number: int, name: str) -> Property:
    """A property that nothing violates."""
    events = [
        calls("acquire", f"{name}.acquire", operands=[Named("l")]),
        calls("release", f"{name}.release", operands=[Named("l")]),
        calls("enter", f"{name}.__enter__", operands=[Named("l")]),
        calls("exit", f"{name}.__exit__", operands=[Named("l"), Anything(more=True)]),
        calls("take", f"{name}.acquire", f"{name}.__enter__", operands=[Named("l")]),
    ]
    return stated(f"used-{number}", events, word(*(each.name for each in events), "exit"))


#: The events of the program: each happens once, also if two of its pointcuts describe the operation.
_EVENTS: Final = {"acquire": 2, "release": 2, "enter": 1, "exit": 1, "take": 2}


@pytest.mark.parametrize("made", _MADE)
def test_recorded(made: str, tmp_path: Path) -> None:
    properties = [_used(number, name) for number, name in enumerate((*_MADE[made], *_KEPT.get(made, ())))]
    found = recorded(_PROGRAM.format(made=made), tmp_path, *properties)
    assert not found.error
    of_one = {
        each: found.events.count(("0.1", *each)) for each in {(text, with_row) for _, text, with_row in found.events}
    }
    shown: dict[str, int] = {}
    for (text, _), number in of_one.items():
        event = text.partition("(")[0]
        shown[event] = shown.get(event, 0) + number
    kept = len(_KEPT.get(made, ()))
    names = len(_MADE[made]) + kept
    assert shown == {
        event: number * (names if event in ("acquire", "release", "take") else names - kept)
        for event, number in _EVENTS.items()
    }


@pytest.mark.parametrize("made", _MADE)
def test_checked(made: str, tmp_path: Path) -> None:
    names = (*_MADE[made], *_KEPT.get(made, ()))
    found = checked(_PROGRAM.format(made=made), tmp_path, *(_used(number, name) for number, name in enumerate(names)))
    assert found.kinds == []
    for number, name in enumerate(names):
        expected = set(_EVENTS) if name in _MADE[made] else {"acquire", "release", "take"}
        assert found.reached[f"used-{number}"].events == expected, name


def test_a_manager_without_acquire_is_none(tmp_path: Path) -> None:
    source = """
        class Session:
            def acquire(self): pass
            def __enter__(self): return self
            def __exit__(self, *raised): pass

        with Session():
            pass
    """
    made = recorded(source, tmp_path, stated("p", [calls("take", "*.acquire")], word("take")))
    assert made.events == []
