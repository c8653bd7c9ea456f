"""The result of work in a thread comes when its limit has expired, and what it took is not given back."""

import asyncio

free = [1]


async def use():
    free[0] -= 1
    await asyncio.to_thread(int)
    free[0] += 1


async def main():
    try:
        await asyncio.wait_for(use(), 0.02)
    except (TimeoutError, asyncio.TimeoutError):
        pass
    assert free == [1], free


asyncio.run(main())
