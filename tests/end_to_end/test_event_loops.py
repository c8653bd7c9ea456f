"""Programs with event loops: alone, in several threads, and beside threads."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.end_to_end.conftest import Shell

_ALONE = """\
    import asyncio

    finished = []


    async def work(number):
        await asyncio.sleep(10 * number)
        finished.append(number)


    async def main():
        await asyncio.gather(work(3), work(1), work(2))


    asyncio.run(main())
    assert finished == [1, 2, 3]
    """

_IN_THREADS = """\
    import asyncio
    import threading


    async def main():
        await asyncio.sleep(0)
        assert asyncio.get_running_loop() is asyncio.get_event_loop()
        assert asyncio.all_tasks() == {asyncio.current_task()}


    threads = [threading.Thread(target=lambda: asyncio.run(main())) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    """

_WITH_WORKERS = """\
    import asyncio


    async def main():
        return await asyncio.get_running_loop().run_in_executor(None, abs, -3)


    assert asyncio.run(main()) == 3
    """

_SLEEPING = """\
    import asyncio
    import threading
    import time


    async def main():
        thread = threading.Thread(target=time.sleep, args=(40,))
        thread.start()
        await asyncio.sleep(60)
        thread.join()


    asyncio.run(main())
    """

_TASKS_OF_ANOTHER = """\
    import asyncio
    import threading


    async def main():
        loop = asyncio.get_running_loop()
        thread = threading.Thread(target=lambda: asyncio.all_tasks(loop))
        thread.start()
        await asyncio.sleep(0)
        thread.join()


    asyncio.run(main())
    """

_SIGNALS = """\
    import asyncio
    import signal
    import threading


    async def main():
        loop = asyncio.get_running_loop()
        done = loop.create_future()
        loop.add_signal_handler(signal.SIGALRM, done.set_result, None)
        thread = threading.Thread(target=abs, args=(1,))
        thread.start()
        thread.join()
        signal.setitimer(signal.ITIMER_REAL, 0.05)
        await done


    asyncio.run(main())
    """


#: The first timer is the later one by a tenth of a second, unless the loop is held up as long between the two calls.
_TWO_TIMERS = """\
    import asyncio

    rung = []


    async def main():
        loop = asyncio.get_running_loop()
        await loop.run_in_executor(None, abs, -3)
        done = loop.create_future()
        loop.call_later(0.3, rung.append, "door")
        loop.call_later(0.2, rung.append, "phone")
        loop.call_later(0.7, done.set_result, None)
        await done


    asyncio.run(main())
    assert rung == ["phone", "door"]
    """

#: The time limit expires while the answer is on its way, if the loop is held up for 0.02 s.
_TIMER_AND_ANSWER = """\
    import asyncio

    seats = ["window"]


    async def book():
        seat = seats.pop()
        await asyncio.sleep(0.03)
        return seat


    async def main():
        await asyncio.get_running_loop().run_in_executor(None, abs, -3)
        try:
            seats.append(await asyncio.wait_for(book(), 0.05))
        except TimeoutError:
            pass


    asyncio.run(main())
    assert seats
    """

#: No timer is pending while the loop does anything.
_ONE_TIMER = """\
    import asyncio


    async def main():
        loop = asyncio.get_running_loop()
        assert await loop.run_in_executor(None, abs, -3) == 3
        await asyncio.sleep(0.01)
        loop.call_later(0.02, print).cancel()
        await asyncio.sleep(0.01)


    asyncio.run(main())
    """


def test_a_loop_alone_is_a_program_without_threads(shell: Shell) -> None:
    report = shell.check(_ALONE, status=5)
    assert report["reason"].startswith("no threads were started")
    assert report["seconds"] < 30  # the minute that it sleeps is virtual


@pytest.mark.parametrize(
    "program", [_IN_THREADS, _WITH_WORKERS, _SLEEPING], ids=["in threads", "with workers", "sleeping"]
)
def test_loops_beside_threads_are_explored(program: str, shell: Shell) -> None:
    report = shell.check(program, status=0)
    assert report["verdict"] == "verified", report["reason"]
    assert report["seconds"] < 50


def test_tasks_of_another_threads_loop_are_untracked(shell: Shell) -> None:
    report = shell.check(_TASKS_OF_ANOTHER, status=0)
    assert report["verdict"] == "inconclusive"
    assert any("all_tasks" in each for each in report["untracked"])


def test_a_loop_that_waits_for_a_signal_is_uncontrolled(shell: Shell) -> None:
    report = shell.check(_SIGNALS, status=0)
    assert report["verdict"] == "inconclusive"
    assert any("signals" in each for each in report["uncontrolled"])


@pytest.mark.parametrize(
    ("program", "least"), [(_TWO_TIMERS, "0.1"), (_TIMER_AND_ANSWER, "0.02")], ids=["two timers", "timer and answer"]
)
def test_the_least_pause_that_turns_timers_is_an_assumption(program: str, least: str, shell: Shell) -> None:
    report = shell.check(program, "--timing", "all", status=0)
    assert report["verdict"] == "verified", report["reason"]
    assert report["reason"].endswith(f"assuming that event loops are held up for less than {least} s in all")


def test_a_single_timer_needs_no_assumption(shell: Shell) -> None:
    report = shell.check(_ONE_TIMER, status=0)
    assert report["verdict"] == "verified", report["reason"]
    assert "assuming" not in report["reason"]
