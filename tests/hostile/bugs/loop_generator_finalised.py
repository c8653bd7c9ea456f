"""Asynchronous generators of two loops end, and count how often they do."""

import asyncio
import threading


class Ends:
    count = 0


async def numbers():
    try:
        yield 1
        yield 2
    finally:
        Ends.count += 1


async def main():
    async for _ in numbers():
        break


threads = [threading.Thread(target=lambda: asyncio.run(main())) for _ in range(2)]
for each in threads:
    each.start()
for each in threads:
    each.join()
assert Ends.count == 2, Ends.count
