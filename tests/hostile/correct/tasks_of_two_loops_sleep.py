"""Timers of two loops: the sleep of five seconds does not end before that of a tenth of a second."""

import asyncio
import threading

seen = []


async def nap(n, d):
    await asyncio.sleep(d)
    seen.append(n)


ts = [threading.Thread(target=lambda n=n, d=d: asyncio.run(nap(n, d))) for n, d in (("long", 5), ("short", 0.1))]
for t in ts:
    t.start()
for t in ts:
    t.join()
assert seen == ["short", "long"], seen
