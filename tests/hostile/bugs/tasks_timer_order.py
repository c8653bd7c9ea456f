"""The order of two sleeps is turned if the loop is held up for 2 ms between their beginnings."""

import asyncio

order = []


async def nap(name, seconds):
    await asyncio.sleep(seconds)
    order.append(name)


async def main():
    await asyncio.gather(nap("slow", 0.008), nap("fast", 0.006))


asyncio.run(main())
assert order == ["fast", "slow"], order
