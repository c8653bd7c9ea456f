"""Two sleeps take no less time than their sum: the one begun before them, and as long, ends first."""

import asyncio

order = []


async def chain():
    await asyncio.sleep(0.002)
    await asyncio.sleep(0.003)
    order.append("chain")


async def once():
    await asyncio.sleep(0.005)
    order.append("once")


async def main():
    await asyncio.gather(once(), chain())


asyncio.run(main())
assert order == ["once", "chain"], order
