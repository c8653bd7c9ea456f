"""Tasks of two loops check and then act on one dictionary."""

import asyncio
import threading

table = {}
made = []


async def get():
    if "key" not in table:
        made.append(1)
        table["key"] = 1
    await asyncio.sleep(0)


threads = [threading.Thread(target=lambda: asyncio.run(get())) for _ in range(2)]
for each in threads:
    each.start()
for each in threads:
    each.join()
assert len(made) == 1, made
