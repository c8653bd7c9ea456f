"""Sleeps of one length end in the order in which they began, however long the loop is held up."""

import asyncio

order = []


async def nap(name):
    await asyncio.sleep(0.005)
    order.append(name)


async def main():
    await asyncio.gather(nap("a"), nap("b"), nap("c"))


asyncio.run(main())
assert order == ["a", "b", "c"], order
