"""A lock goes to those who wait in the order in which they came, also if its last owner wants it again at once."""

import asyncio

order = []


async def again(lock):
    for _ in range(2):
        async with lock:
            order.append("again")
            await asyncio.sleep(0.001)


async def once(lock):
    async with lock:
        order.append("once")


async def main():
    lock = asyncio.Lock()
    await asyncio.gather(again(lock), once(lock))


asyncio.run(main())
assert order == ["again", "once", "again"], order
