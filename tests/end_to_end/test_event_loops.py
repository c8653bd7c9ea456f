"""Programs with an event loop: one alone is a program without threads, one beside threads ends the run at once."""

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


    threads = [threading.Thread(target=lambda: asyncio.run(main())) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    """

_WITH_WORKERS = """\
    import asyncio


    async def main():
        await asyncio.get_running_loop().run_in_executor(None, print)


    asyncio.run(main())
    """


def test_a_loop_alone_is_a_program_without_threads(shell: Shell) -> None:
    report = shell.check(_ALONE, status=5)
    assert report["reason"].startswith("no threads were started")
    assert report["seconds"] < 30  # the minute that it sleeps is virtual


@pytest.mark.parametrize("program", [_IN_THREADS, _WITH_WORKERS], ids=["in threads", "with workers"])
def test_a_loop_beside_threads_is_named_at_once(program: str, shell: Shell) -> None:
    report = shell.check(program, status=0)
    assert report["verdict"] == "inconclusive"
    assert "event loop" in report["reason"]
    assert report["uncontrolled"]
    assert report["seconds"] < 30
