"""The cost of letting another thread go on: a greenlet switch, and a hand-over between threads of the system.

The figures of docs/decisions/threads-are-greenlets.md. A scheduler for real threads needs hand-overs: one lock for each
thread, released for the thread that is to move.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from typing import Final

from benchmarks.row import Row, Settings, middle

_SWITCHES: Final = 200_000
_HAND_OVERS: Final = 20_000


def measure(settings: Settings) -> Iterator[Row]:
    greenlets = [_greenlets() * 1e6 for _ in range(settings.repetitions)]
    threads = [_threads() * 1e6 for _ in range(settings.repetitions)]
    yield Row("greenlet switch", "", *middle(greenlets, " us", 2))
    yield Row("hand-over between threads of the system", "", *middle(threads, " us", 2))
    ratios = [other / one for one, other in zip(greenlets, threads, strict=True)]
    yield Row("how many times dearer", "", *middle(ratios, "x", 2))


def _greenlets() -> float:
    """Seconds for one switch."""
    import greenlet

    def other() -> None:
        while True:
            here.switch()

    here = greenlet.getcurrent()
    there = greenlet.greenlet(other)
    begun = time.perf_counter()
    for _ in range(_SWITCHES // 2):
        there.switch()
    return (time.perf_counter() - begun) / _SWITCHES


def _threads() -> float:
    """Seconds for one hand-over."""
    mine, yours = threading.Lock(), threading.Lock()
    mine.acquire()
    yours.acquire()

    def other() -> None:
        for _ in range(_HAND_OVERS // 2):
            yours.acquire()
            mine.release()

    thread = threading.Thread(target=other)
    thread.start()
    begun = time.perf_counter()
    for _ in range(_HAND_OVERS // 2):
        yours.release()
        mine.acquire()
    seconds = time.perf_counter() - begun
    thread.join()
    return seconds / _HAND_OVERS
