"""... also in the description of a task."""

import asyncio
import re
import threading

names = {}


async def main(which):
    names[which] = int(re.search(r"Task-(\d+)", repr(asyncio.current_task()))[1])


threads = [threading.Thread(target=lambda n=n: asyncio.run(main(n))) for n in range(2)]
for each in threads:
    each.start()
for each in threads:
    each.join()
assert names[0] < names[1], names
