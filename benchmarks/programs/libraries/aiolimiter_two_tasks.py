"""Two tasks take turns where only one may go on at a time."""

# package: aiolimiter
# include: aiolimiter
# expect: correct

import asyncio

from aiolimiter import AsyncLimiter


async def main():
    limiter, done = AsyncLimiter(1, 0.1), []

    async def work(n):
        async with limiter:
            done.append(n)

    await asyncio.gather(work(1), work(2))
    assert sorted(done) == [1, 2]


def test():
    asyncio.run(main())
