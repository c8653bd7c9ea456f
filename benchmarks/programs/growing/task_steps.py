"""Fifty tasks of a hundred steps each."""

import asyncio


async def work():
    for _ in range(100):
        await asyncio.sleep(0)


async def main():
    await asyncio.gather(*[work() for _ in range(50)])


asyncio.run(main())
