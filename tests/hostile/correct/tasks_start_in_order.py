"""Tasks begin in the order in which they were made, and go on in turn."""

import asyncio

order = []


async def each(name):
    for number in range(3):
        order.append((number, name))
        await asyncio.sleep(0)


async def main():
    await asyncio.gather(each("a"), each("b"), asyncio.to_thread(int))


asyncio.run(main())
assert order == sorted(order), order
