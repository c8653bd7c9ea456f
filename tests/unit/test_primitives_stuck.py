"""The reports of runs in which no thread can go on."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from tests.unit.primitive_runs import failures, installed, outcomes, run

from mazurka.program.protocol import Failure, FailureKind


@pytest.fixture(autouse=True)
def models() -> Iterator[None]:
    with installed():
        yield


def the_only(main: Callable[[], Any]) -> Failure:
    found = failures(main)
    assert len(found) == 1, found
    return next(iter(found.values()))


def line_of(function: Callable[..., Any], text: str) -> int:
    """The number of the first line of this file after the function's head that reads ``text``."""
    with open(__file__, encoding="utf-8") as file:
        lines = file.read().splitlines()
    first = function.__code__.co_firstlineno
    return next(n for n, line in enumerate(lines[first:], first + 1) if line.strip() == text)


def test_lock_order_deadlock() -> None:
    def main() -> None:
        first, second = threading.Lock(), threading.RLock()

        def one() -> None:
            with first, second:
                pass

        def two() -> None:
            with second, first:
                pass

        threads = [threading.Thread(target=one, name="A"), threading.Thread(target=two, name="B")]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    failure = the_only(main)
    one = line_of(main, "with first, second:")
    two = line_of(main, "with second, first:")
    assert failure.kind is FailureKind.DEADLOCK
    assert failure.message == (
        f"A waits for RLock `second` at {__file__}:{one} (acquired by B at {__file__}:{two}); "
        f"B waits for Lock `first` at {__file__}:{two} (acquired by A at {__file__}:{one})"
    )
    assert [(each.thread, each.held_by) for each in failure.waiting] == [("0.1", "0.2"), ("0.2", "0.1")]
    assert [frame.text for frame in failure.frames] == ["with first, second:"]


def test_lock_taken_twice() -> None:
    def main() -> None:
        lock = threading.Lock()
        with lock:
            lock.acquire()

    failure = the_only(main)
    assert failure.kind is FailureKind.DEADLOCK
    assert "MainThread waits for Lock `lock`" in failure.message
    assert "acquired by itself" in failure.message


def test_joining_each_other() -> None:
    def main() -> None:
        threads: list[threading.Thread] = []
        both = threading.Event()

        def join(other: int) -> None:
            both.wait()
            threads[other].join()

        threads += [threading.Thread(target=join, args=(1 - n,), name=f"T{n}") for n in (0, 1)]
        for thread in threads:
            thread.start()
        both.set()

    failure = the_only(main)
    assert failure.kind is FailureKind.DEADLOCK
    assert failure.message.startswith("T0 waits for T1 to end")
    assert "T1 waits for T0 to end" in failure.message


def test_lost_wake_up() -> None:
    def main() -> None:
        condition = threading.Condition()

        def wait() -> None:
            with condition:
                condition.wait()

        thread = threading.Thread(target=wait, name="W")
        thread.start()
        with condition:
            condition.notify()
        thread.join()

    failure = the_only(main)
    assert failure.kind is FailureKind.BLOCKED
    assert failure.message.startswith("W waits for a notification of Condition `condition`")
    assert failure.message.endswith("which no thread is left to bring about")
    assert [each.thread for each in failure.waiting] == ["0.1"]  # who merely joins it is left out


def test_lock_of_a_thread_that_has_ended() -> None:
    def main() -> None:
        lock = threading.Lock()

        def take() -> None:
            lock.acquire()

        thread = threading.Thread(target=take, name="T")
        thread.start()
        thread.join()
        lock.acquire()

    failure = the_only(main)
    assert failure.kind is FailureKind.BLOCKED
    assert f"acquired by T at {__file__}" in failure.message
    assert "which has ended" in failure.message


def test_names_through_attributes() -> None:
    class Service:
        def __init__(self) -> None:
            self.jobs: queue.Queue[int] = queue.Queue()

    def main() -> None:
        service = Service()
        service.jobs.get()

    assert "waits for an item in Queue `service.jobs`" in the_only(main).message


def test_waiting_for_a_semaphore_and_an_event() -> None:
    def semaphore() -> None:
        gate = threading.Semaphore(0)
        gate.acquire()

    def event() -> None:
        ready = threading.Event()
        ready.wait()

    assert "waits for Semaphore `gate`" in the_only(semaphore).message
    assert "waits for Event `ready`" in the_only(event).message


def test_deadlock_with_a_pool() -> None:
    from concurrent.futures import ThreadPoolExecutor

    def main() -> None:
        with ThreadPoolExecutor(1) as pool:
            pool.submit(lambda: pool.submit(int).result()).result()

    failure = run(main).failures[0]
    assert failure.kind is FailureKind.DEADLOCK
    assert "the only worker of the pool" in failure.message


def test_two_submitters_do_not_hang_on_a_real_lock() -> None:
    from concurrent.futures import ThreadPoolExecutor

    def main() -> int:
        with ThreadPoolExecutor(1) as first, ThreadPoolExecutor(1) as second:
            got: list[int] = []
            threads = [threading.Thread(target=lambda p=p: got.append(p.submit(int).result())) for p in (first, second)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            return len(got)

    assert run(main).check() == 2


def test_blocked_daemons_are_no_failure() -> None:
    def main() -> bool:
        threading.Thread(target=threading.Event().wait, daemon=True).start()
        return True

    assert outcomes(main) == {True}
