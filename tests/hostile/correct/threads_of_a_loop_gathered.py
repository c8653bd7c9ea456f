"""A loop has two functions run in threads of its pool, and gathers their results."""

import asyncio


async def main():
    assert await asyncio.gather(asyncio.to_thread(pow, 2, 3), asyncio.to_thread(pow, 3, 2)) == [8, 9]


asyncio.run(main())
