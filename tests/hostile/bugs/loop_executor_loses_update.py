"""Two calls in a loop's executor add to one counter."""

import asyncio


class Counter:
    count = 0


def add(counter):
    counter.count += 1


async def main():
    counter = Counter()
    loop = asyncio.get_running_loop()
    await asyncio.gather(*(loop.run_in_executor(None, add, counter) for _ in range(2)))
    return counter.count


assert asyncio.run(main()) == 2
