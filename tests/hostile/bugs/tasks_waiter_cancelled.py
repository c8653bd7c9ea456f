"""A waiter is cancelled after it has been chosen to be woken, and wakes nobody else."""

import asyncio
from collections import deque

waiting, done = deque(), []


async def turn(name):
    future = asyncio.get_running_loop().create_future()
    waiting.append(future)
    await future
    done.append(name)
    if waiting:
        waiting.popleft().set_result(None)


async def main():
    first, second = asyncio.create_task(turn("first")), asyncio.create_task(turn("second"))
    loop = asyncio.get_running_loop()
    loop.call_later(0.002, lambda: waiting.popleft().set_result(None))
    loop.call_later(0.004, first.cancel)
    await asyncio.wait([first, second], timeout=0.5)
    assert second.done()


asyncio.run(main())
