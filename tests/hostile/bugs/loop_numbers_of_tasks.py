"""Tasks get their numbers in the order in which threads make them."""

import asyncio
import threading

names = {}


async def main(which):
    names[which] = int(asyncio.current_task().get_name().partition("-")[2])


threads = [threading.Thread(target=lambda n=n: asyncio.run(main(n))) for n in range(2)]
for each in threads:
    each.start()
for each in threads:
    each.join()
assert names[0] < names[1], names
