import asyncio

import pytest

from depot.remote import Client, Session, pipe


@pytest.mark.parametrize("names", [["tea"], ["tea", "coffee"]], ids=len)
def test_stocks(names):
    client = Client()
    assert asyncio.run(client.stocks(names)) == [len(name) for name in names]
    assert sorted(client.asked) == sorted(names)


def test_pipe():
    assert asyncio.run(pipe([1, 2])) == [2, 4]


def test_session():
    async def main():
        session = Session()
        await asyncio.gather(session.ask_safely(), session.ask_safely())
        return session.requests

    assert asyncio.run(main()) == 2


def test_threads_with_loops():
    async def main():
        return await asyncio.to_thread(len, "tea")

    assert asyncio.run(main()) == 3
