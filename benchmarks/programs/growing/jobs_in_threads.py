"""A loop that awaits so many independent jobs in threads: the first argument is their number."""

import asyncio
import sys


async def main():
    numbers = range(int(sys.argv[1]))
    assert await asyncio.gather(*[asyncio.to_thread(pow, each, 2) for each in numbers]) == [n * n for n in numbers]


asyncio.run(main())
