"""The thread side of a queue without an event loop's other side."""

# package: janus
# include: janus
# expect: correct

import asyncio

import janus
from together import run


def test():
    async def main():
        queue = janus.Queue()
        await asyncio.to_thread(lambda: run(lambda: queue.sync_q.put(1), lambda: queue.sync_q.put(2)))
        got = sorted([queue.sync_q.get_nowait(), queue.sync_q.get_nowait()])
        await queue.aclose()
        return got

    assert asyncio.run(main()) == [1, 2]
