"""Two tasks ask for a value that is cached: it is computed once, a user expects."""

# package: aiocache
# include: aiocache
# expect: bug
# shows: calls.append(n)

import asyncio

from aiocache import SimpleMemoryCache, cached


async def main():
    calls = []

    @cached(cache=SimpleMemoryCache, ttl=60)
    async def load(n):
        calls.append(n)
        await asyncio.sleep(0)
        return 2 * n

    assert await asyncio.gather(load(1), load(1)) == [2, 2]
    assert calls == [1]


def test():
    asyncio.run(main())
