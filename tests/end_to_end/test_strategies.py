"""The results of strategies for primitives that the oracle's programs don't have."""

from __future__ import annotations

from typing import Any

import pytest

#: The step of a read of the event does not show that it may have to wait. A strategy that takes it to be possible
#: before the event is set meets an impossible order.
WAITS_FOR_AN_EVENT = """\
import threading


class Shared:
    x = y = 0


def setter():
    with counter:
        Shared.x += 1
    event.set()
    if counter.acquire(blocking=False):
        Shared.y += 1
        counter.release()


def adder():
    seen = Shared.y
    with counter:
        Shared.x += seen + 2


def waiter():
    early = event.is_set()
    with counter:
        seen.append((early, Shared.x, Shared.y))
    event.wait()
    seen.append(Shared.x)


counter, event, seen = threading.Semaphore(1), threading.Event(), []
threads = [threading.Thread(target=target) for target in (setter, adder, waiter)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
assert Shared.x in (3, 4)
"""


#: Which of them stops waiting follows from who is stuck.
WAITS_FOR_SOME_TIME = """\
import threading


def notify():
    with condition:
        condition.notify()


def wait():
    with condition:
        seen.append(condition.wait(timeout=1))


condition, seen = threading.Condition(), []
threads = [threading.Thread(target=target) for target in (notify, wait)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
"""


@pytest.mark.parametrize("strategy", ["dpor", "icb-dpor"])
def test_partial_orders_leave_waiting_times_to_another_search(shell: Any, strategy: str) -> None:
    report = shell.check(WAITS_FOR_SOME_TIME, "--strategy", strategy, status=0)
    assert report["verdict"] == "verified"
    assert shell.check(WAITS_FOR_SOME_TIME, "--strategy", "dfs", status=0)["verdict"] == "verified"


@pytest.mark.parametrize("strategy", ["mcr", "dpor"])
def test_waiting_for_an_event(shell: Any, strategy: str) -> None:
    report = shell.check(WAITS_FOR_AN_EVENT, "--strategy", strategy, status=0)
    assert report["verdict"] == "verified"
