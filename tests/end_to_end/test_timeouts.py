"""A timeout fires only when no thread can move: no failure is made of one that would have had to fire early."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.end_to_end.conftest import Shell

_HANDSHAKE = """\
    import threading

    told = threading.Event()
    changed = threading.Condition()
    room = threading.Semaphore(0)
    number = 0


    def answer():
        global number
        assert told.wait(2)
        with changed:
            number = 1
            changed.notify()
        room.release()


    def ask():
        told.set()
        with changed:
            assert changed.wait_for(lambda: number, timeout=2)
        assert room.acquire(timeout=1)


    threads = [threading.Thread(target=target) for target in (answer, ask)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=5)
    assert not any(thread.is_alive() for thread in threads)
    """

_NOBODY_TELLS = """\
    import threading

    told = threading.Event()
    number = 0


    def wait():
        global number
        if not told.wait(1):
            number += 1


    def count():
        global number
        number += 1


    threads = [threading.Thread(target=target) for target in (wait, count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    """


@pytest.mark.parametrize("strategy", ["mcr", "dfs", "random"])
def test_what_comes_in_time_is_not_missed(shell: Shell, strategy: str) -> None:
    report = shell.check(_HANDSHAKE, "--strategy", strategy, "--max-executions", "2000", status=0)
    assert report["verdict"] == ("inconclusive" if strategy == "random" else "verified")


def test_a_timeout_that_fires_leaves_orders_open(shell: Shell) -> None:
    report = shell.check(_NOBODY_TELLS, status=0)
    assert report["verdict"] == "inconclusive"
    assert "timeout" in report["reason"]
