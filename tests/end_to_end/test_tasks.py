"""Tasks of event loops: what a user is told of them, from each way to check."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from mazurka import api
from mazurka.report.check_report import Verdict

if TYPE_CHECKING:
    from tests.end_to_end.conftest import Shell

_LOST = """\
    import asyncio

    class Account:
        balance = 0

    async def deposit(account, seconds):
        seen = account.balance
        await asyncio.sleep(seconds)
        account.balance = seen + 1

    async def main():
        account = Account()
        await asyncio.gather(deposit(account, 0.01), deposit(account, 0.02))
        assert account.balance == 2

    if __name__ == "__main__":
        asyncio.run(main())
    """

_LOCKS = """\
    import asyncio

    async def work(first, second, before):
        await asyncio.sleep(before)
        async with first:
            await asyncio.sleep(0.01)
            async with second:
                pass

    async def main():
        one, other = asyncio.Lock(), asyncio.Lock()
        await asyncio.gather(work(one, other, 0), work(other, one, 0.015))

    asyncio.run(main())
    """

_LIMIT = """\
    import asyncio

    free = [1]

    async def use():
        free[0] -= 1
        await asyncio.sleep(0.01)
        free[0] += 1

    async def main():
        try:
            async with asyncio.timeout(SECONDS):
                await asyncio.sleep(0.002)
                await use()
        except TimeoutError:
            pass

    asyncio.run(main())
    assert free == [1]
    """


def test_a_lost_update_between_tasks(shell: Shell) -> None:
    shell.write("program.py", _LOST)
    text = shell.run("check", "program.py", status=1).stdout
    assert "Lost update: Task-3 (deposit) reads" in text
    assert "Task-2 (deposit), which has read it before, writes" in " ".join(text.split())
    assert "a sleep of 0.01 s ends" in text
    assert "changes the callbacks" not in text
    shell.run("replay", "--times", "3", status=1)


def test_a_coroutine_function_is_run(shell: Shell) -> None:
    shell.write("program.py", _LOST)
    assert "Lost update" in shell.run("check", "program.py::main", status=1).stdout


def test_a_deadlock_of_tasks(shell: Shell) -> None:
    shell.write("program.py", _LOCKS)
    text = shell.run("check", "program.py", status=1).stdout
    assert text.startswith("violation: deadlock: threads wait for one another")
    assert "Lock-order deadlock: Task-2 (work) holds Lock and waits for Lock; Task-3 (work) holds Lock" in text


@pytest.mark.parametrize(
    ("seconds", "timing", "status", "words"),
    [
        ("0.013", "0.1", 1, "a timeout of 0.013 s expires"),
        ("5", "0.1", 0, "assuming that no event loop is held up for more than 0.1 s before a callback"),
        ("5", "all", 1, "a timeout of 5 s expires"),
        ("0.013", "0", 0, "assuming that no event loop is held up for more than 0 s before a callback"),
    ],
)
def test_how_long_a_loop_is_held_up(seconds: str, timing: str, status: int, words: str, shell: Shell) -> None:
    shell.write("program.py", _LIMIT.replace("SECONDS", seconds))
    assert words in shell.run("check", "program.py", "--timing", timing, status=status).stdout
    if status:
        shell.run("replay", "--times", "2", status=1)


def test_tasks_without_timers_have_one_order(shell: Shell) -> None:
    program = """\
        import asyncio

        seen = []

        async def count(name):
            for _ in range(3):
                await asyncio.sleep(0)
                seen.append(name)

        async def main():
            await asyncio.gather(count("a"), count("b"))

        asyncio.run(main())
        assert seen == ["a", "b"] * 3
        """
    shell.write("program.py", program)
    report = shell.check(program, status=0)
    assert (report["verdict"], report["executions"]) == ("verified", 1)


def test_tests_of_asyncio(shell: Shell) -> None:
    shell.write(
        "test_tasks.py",
        """\
        import asyncio
        import unittest

        class Tests(unittest.IsolatedAsyncioTestCase):
            async def test_order(self):
                seen = []

                async def nap(name, seconds):
                    await asyncio.sleep(seconds)
                    seen.append(name)

                await asyncio.gather(nap("slow", 0.006), nap("fast", 0.005))
                self.assertEqual(seen, ["fast", "slow"])

            async def test_lock(self):
                lock, seen = asyncio.Lock(), [0]

                async def add():
                    async with lock:
                        before = seen[0]
                        await asyncio.sleep(0.001)
                        seen[0] = before + 1

                await asyncio.gather(add(), add())
                self.assertEqual(seen, [2])
        """,
    )
    done = shell.pytest("--mazurka", "test_tasks.py", status=1)
    assert "explored 2 tests: 1 verified, 1 violation" in done.stdout


def test_a_coroutine_function_is_explored() -> None:
    import asyncio

    async def scenario() -> None:
        seen: list[str] = []

        async def nap(name: str, seconds: float) -> None:
            await asyncio.sleep(seconds)
            seen.append(name)

        await asyncio.gather(nap("slow", 0.006), nap("fast", 0.005))
        assert seen == ["fast", "slow"]

    assert api.explore(scenario).verdict is Verdict.VIOLATION


def test_a_loop_with_a_signal_handler_waits_for_its_timers(shell: Shell) -> None:
    program = """\
        import asyncio
        import signal

        async def main():
            asyncio.get_running_loop().add_signal_handler(signal.SIGUSR1, print)
            await asyncio.gather(asyncio.sleep(0.02), asyncio.sleep(0.01))

        asyncio.run(main())
        """
    assert shell.check(program, status=0)["verdict"] == "verified"


_NEVER_RETRIEVED = """\
    import asyncio

    found = {}

    async def fetch(key):
        if key in found:
            raise KeyError(key)
        await asyncio.sleep(0.005)
        found[key] = 1

    async def main():
        tasks = [asyncio.create_task(fetch("a"))]
        await asyncio.sleep(0.005)
        tasks.append(asyncio.create_task(fetch("a")))
        await asyncio.sleep(0.03)
        LAST

    asyncio.run(main())
    """


@pytest.mark.parametrize(
    ("last", "status"),
    [
        ("pass", 1),
        ("await asyncio.gather(*tasks, return_exceptions=True)", 0),
        ("await asyncio.wait(tasks); [each.exception() for each in tasks]", 0),
        ("asyncio.get_running_loop().set_exception_handler(lambda loop, context: None)", 0),
    ],
)
def test_an_exception_that_nothing_retrieves(last: str, status: int, shell: Shell) -> None:
    shell.write("program.py", _NEVER_RETRIEVED.replace("LAST", last))
    text = shell.run("check", "program.py", status=status).stdout
    words = "KeyError: 'a' (Task exception was never retrieved)\n  program.py:7 in fetch, Task-3 (fetch)"
    assert (words in text) is bool(status)


def test_an_exception_of_a_callback(shell: Shell) -> None:
    program = """\
        import asyncio

        async def main():
            asyncio.get_running_loop().call_soon(lambda: [].pop())
            await asyncio.sleep(0)

        asyncio.run(main())
        """
    shell.write("program.py", program)
    assert "IndexError: pop from empty list (Exception in callback" in shell.run("check", "program.py", status=1).stdout


def test_a_task_that_is_collected(shell: Shell) -> None:
    program = """\
        import asyncio, gc

        async def wait():
            await asyncio.get_running_loop().create_future()

        async def main():
            asyncio.create_task(wait())
            await asyncio.sleep(0)
            gc.collect()

        asyncio.run(main())
        """
    shell.write("program.py", program)
    text = shell.run("check", "program.py", status=1).stdout
    assert "Task was destroyed but it is pending! Task-2 (wait) waits for a Future\n  program.py:3 in wait" in text


def test_a_parameter_that_a_thread_reads_and_the_task_sets_again(shell: Shell) -> None:
    program = """\
        import asyncio

        async def twice(amount):
            amount = await asyncio.to_thread(lambda: amount * 2)
            return amount

        assert asyncio.run(twice(3)) == 6
        """
    shell.write("program.py", program)
    assert shell.run("check", "program.py", status=0).stdout.startswith("verified: no order of the threads fails")


@pytest.mark.parametrize(("last", "verdict"), [("keep.append(1)", "violation"), ("keep[0].exception()", "verified")])
def test_an_exception_that_only_a_thread_may_retrieve_after_the_main_function(
    last: str, verdict: str, shell: Shell
) -> None:
    program = f"""\
        import asyncio, threading

        keep = []

        async def fetch():
            raise KeyError("a")

        async def main():
            keep.append(asyncio.create_task(fetch()))
            await asyncio.sleep(0)
            threading.Thread(target=lambda: {last}).start()

        def test_fetch():
            asyncio.run(main())
        """
    shell.write("program.py", program)
    text = shell.run("check", "program.py::test_fetch", status=int(verdict == "violation")).stdout
    assert text.startswith(verdict)
