"""Callbacks of two loops are methods in C of one list."""

import asyncio
import threading

seen = []


async def main(number):
    asyncio.get_running_loop().call_soon(seen.append, number)
    await asyncio.sleep(0)


threads = [threading.Thread(target=lambda n=n: asyncio.run(main(n))) for n in range(2)]
for each in threads:
    each.start()
for each in threads:
    each.join()
assert seen == [0, 1], seen
