"""The same calls, one after another, on a real primitive and on its model in a run: same results, same errors."""

from __future__ import annotations

import queue
import re
import sys
import threading
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.primitive_runs import installed, run

SHORT = 0.0005  # seconds; runs out for real, too

Call = tuple[str, tuple[Any, ...], dict[str, Any]]


def call(name: str, *args: Any, **kwargs: Any) -> Call:
    return name, args, kwargs


def new(module: Any, name: str) -> Callable[[], Any]:
    """Makes one: the real thing or the model, whatever the module holds at that time."""

    def make() -> Any:
        return getattr(module, name)()

    return make


ACQUIRES = [
    call("acquire", False),
    call("acquire", timeout=SHORT),
    call("acquire", True, SHORT),
    call("acquire", False, 1),
    call("acquire", True, -2),
    call("acquire", True, "x"),
    call("acquire", timeout=1e30),
    call("acquire", blocking=0),
    call("acquire", timeout=0),
]

#: No timeouts. With the last one, a real semaphore before 3.14 looks again and again for ever.
WRONG = ["x", 1e30, float("nan")]

#: Re-entrant locks and conditions show from 3.14 on whether a thread has them.
LOCKED = [call("locked")] if sys.version_info >= (3, 14) else []

KINDS: dict[str, tuple[Callable[[], Any], list[Call]]] = {
    "Lock": (new(threading, "Lock"), [*ACQUIRES, call("release"), call("locked"), call("__repr__")]),
    "RLock": (
        new(threading, "RLock"),
        [*ACQUIRES, call("release"), call("_is_owned"), call("__exit__", 1, 2, 3), *LOCKED],
    ),
    "Condition": (
        new(threading, "Condition"),
        [
            call("acquire", False),
            call("release"),
            call("wait", SHORT),
            call("wait", 0),
            call("wait", -1),
            *[call("wait", wrong) for wrong in WRONG],
            call("wait_for", lambda: False, SHORT),
            call("wait_for", lambda: 7),
            call("notify"),
            call("notify", 3),
            call("notify_all"),
            *LOCKED,
        ],
    ),
    "Condition over a Lock": (
        lambda: threading.Condition(threading.Lock()),
        [call("acquire", False), call("release"), call("wait", SHORT), call("notify"), call("__repr__"), *LOCKED],
    ),
    "Semaphore": (
        lambda: threading.Semaphore(2),
        [
            call("acquire", False),
            call("acquire", timeout=SHORT),
            call("acquire", False, timeout=1),
            call("acquire", timeout=-1),
            *[call("acquire", timeout=wrong) for wrong in WRONG[1 : 3 if sys.version_info >= (3, 14) else 2]],
            call("release"),
            call("release", 2),
            call("release", 0),
            call("__repr__"),
        ],
    ),
    "BoundedSemaphore": (
        lambda: threading.BoundedSemaphore(1),
        [call("acquire", False), call("release"), call("release", 2), call("release", -1)],
    ),
    "Event": (
        new(threading, "Event"),
        [
            call("set"),
            call("clear"),
            call("is_set"),
            call("wait", SHORT),
            call("wait", 0),
            call("wait", -1),
            call("wait", timeout=SHORT),
            *[call("wait", wrong) for wrong in WRONG],
            call("__repr__"),
        ],
    ),
    "Barrier": (lambda: threading.Barrier(1), [call("wait"), call("reset"), call("abort"), call("wait", SHORT)]),
    "Queue": (
        lambda: queue.Queue(2),
        [
            call("put", 1, False),
            call("put", 2, timeout=SHORT),
            call("put", 2, True, -1),
            call("get", False),
            call("get", timeout=SHORT),
            call("get", True, -1),
            call("task_done"),
            call("qsize"),
            call("full"),
            call("shutdown"),
        ],
    ),
    "SimpleQueue": (
        new(queue, "SimpleQueue"),
        [
            call("put", 1),
            call("put_nowait", 2),
            call("get", False),
            call("get_nowait"),
            call("get", timeout=SHORT),
            call("get", True, -1),
            call("get", False, -1),
            call("qsize"),
            call("empty"),
        ],
    ),
    "Thread": (
        lambda: threading.Thread(target=int, name="T"),
        [call("join", 0), call("__setattr__", "daemon", True), call("__setattr__", "name", 5)],
    ),
}


def answers(make: Callable[[], Any], calls: list[Call]) -> list[str]:
    """The result or exception of each call, addresses removed."""
    thing = make()
    found = []
    for name, args, kwargs in calls:
        try:
            answer = repr(getattr(thing, name)(*args, **kwargs))
        except Exception as error:
            answer = f"{type(error).__name__}: {error}"
        found.append(f"{name}: " + re.sub(r"0x[0-9a-f]+|owner=\d+", "*", answer))
    return found


def real_answers(kind: str) -> list[tuple[list[Call], list[str]]]:
    """Drawn calls, and the answers of the real primitive. All are collected before the models are installed, which
    takes long."""
    make, vocabulary = KINDS[kind]
    told: list[tuple[list[Call], list[str]]] = []

    @given(st.lists(st.sampled_from(vocabulary), max_size=8))
    def draw(calls: list[Call]) -> None:
        told.append((calls, answers(make, calls)))

    draw()
    assert len(told) >= 10  # of a primitive with few calls there are not many lists that differ
    return told


@pytest.mark.parametrize("kind", KINDS)
def test_same_answers(kind: str) -> None:
    make, _ = KINDS[kind]
    told = real_answers(kind)
    with installed():
        for calls, real in told:
            assert run(lambda: answers(make, calls)).check() == real, calls  # noqa: B023  # called at once


@pytest.mark.parametrize("kind", KINDS)
def test_same_answers_with_other_threads_about(kind: str) -> None:
    """Once a thread was started the models take another path through the runtime."""
    make, _ = KINDS[kind]
    told = real_answers(kind)

    def main(calls: list[Call]) -> list[str]:
        thread = threading.Thread(target=int)
        thread.start()
        thread.join()
        return answers(make, calls)

    with installed():
        for calls, real in told:
            assert run(lambda: main(calls)).check() == real, calls  # noqa: B023  # called at once
