"""Orders of callbacks: the results of a loop of CPython and real threads for a drawn program are among the explored
ones."""

from __future__ import annotations

import asyncio
import random
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import Any

import pytest
from benchmarks.differential import loaded_module, reached

from mazurka.report.check_report import Verdict


@dataclass(frozen=True)
class Callback:
    """Notes its name, and adds others to its loop."""

    name: str
    others: tuple[Callback, ...] = ()


@dataclass(frozen=True)
class Drawn:
    """Callbacks that are there at first, one of a timer, those that threads add, and whether a thread stops the loop;
    otherwise a callback does."""

    own: tuple[Callback, ...]
    timer: Callback | None
    added: tuple[tuple[Callback, ...], ...]
    stopped_by_thread: bool


def _drawn(seed: int) -> Drawn:
    draw, names = random.Random(seed), iter("abcdefghijklmnop")

    def callback(depth: int) -> Callback:
        name = next(names)
        count = draw.choice((0, 0, 1, 2)) if depth < 2 else 0
        return Callback(name, tuple([callback(depth + 1) for _ in range(count)]))

    own = tuple([callback(0) for _ in range(draw.choice((1, 1, 2)))])
    timer = draw.choice((None, None, callback(1)))
    added = tuple(
        [tuple([Callback(next(names)) for _ in range(draw.choice((1, 1, 2)))]) for _ in range(draw.choice((1, 1, 2)))]
    )
    return Drawn(own, timer, added, draw.random() < 0.3)


def _scenario(drawn: Drawn) -> Callable[[], str]:
    """The program; returns the names of callbacks in the order in which they ran before the loop was stopped."""

    def scenario() -> str:
        seen: list[str] = []
        loop = asyncio.new_event_loop()

        def call(callback: Callback) -> None:
            seen.append(callback.name)
            for each in callback.others:
                loop.call_soon(call, each)

        def add(callbacks: tuple[Callback, ...]) -> None:
            for each in callbacks:
                loop.call_soon_threadsafe(call, each)

        for each in drawn.own:
            loop.call_soon(call, each)
        if drawn.timer is not None:
            loop.call_later(0.0, call, drawn.timer)
        threads = [threading.Thread(target=add, args=(callbacks,)) for callbacks in drawn.added]
        if drawn.stopped_by_thread:
            threads.append(threading.Thread(target=loop.call_soon_threadsafe, args=(loop.stop,)))
        else:
            loop.call_soon(lambda: loop.call_soon(loop.stop))
        for thread in threads:
            thread.start()
        loop.run_forever()
        result = "".join(seen)
        for thread in threads:
            thread.join()
        loop.close()
        return result

    return scenario


def _real(scenario: Callable[[], str], seed: int, count: int) -> set[str]:
    """The results under real threads that give way at random lines of `asyncio`."""
    draw = random.Random(seed)

    def local(_frame: FrameType, _event: str, _argument: Any) -> Any:
        if draw.random() < 0.05:
            time.sleep(0)
        return local

    def trace(frame: FrameType, _event: str, _argument: Any) -> Any:
        return local if "asyncio" in frame.f_code.co_filename else None

    interval, before = sys.getswitchinterval(), sys.gettrace()
    sys.setswitchinterval(1e-6)
    threading.settrace(trace)
    sys.settrace(trace)
    try:
        return {scenario() for _ in range(count)}
    finally:
        sys.settrace(before)
        threading.settrace(None)  # type: ignore[arg-type]  # None takes it away
        sys.setswitchinterval(interval)


@pytest.mark.parametrize("seed", [1, 7])
def test_orders_of_real_threads_are_explored(seed: int, tmp_path: Path) -> None:
    copied = loaded_module(Path(__file__).read_text(), tmp_path)  # code here would be explored with the program
    scenario = copied._scenario(copied._drawn(seed))
    explored = reached(scenario, "auto")
    assert explored.verdict is Verdict.VERIFIED
    assert {repr(each) for each in _real(scenario, seed, 40)} <= explored.returned


_SETS_OF_TASKS = """
import asyncio
import threading

made = []


def scenario():
    thread = threading.Thread(target=made.append, args=(1,))

    async def work():
        made.append([0] * len(made))
        tasks = {asyncio.create_task(asyncio.sleep(0, n)) for n in range(6)}
        done, _ = await asyncio.wait(tasks)
        return [task.result() for task in done]

    thread.start()
    found = asyncio.run(work())
    thread.join()
    return found
"""


def test_sets_of_tasks_have_the_same_order_in_each_execution(tmp_path: Path) -> None:
    explored = reached(loaded_module(_SETS_OF_TASKS, tmp_path).scenario, "dfs")
    assert explored.executions > 1
    assert len(explored.returned) == 1
