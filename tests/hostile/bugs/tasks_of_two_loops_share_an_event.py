"""Two loops, in threads of their own, share an event that nobody has waited for."""

import asyncio
import threading

ev = asyncio.Event()
got = []


async def setter():
    ev.set()


async def looker():
    got.append(ev.is_set())


ts = [threading.Thread(target=lambda f=f: asyncio.run(f())) for f in (setter, looker)]
for t in ts:
    t.start()
for t in ts:
    t.join()
assert got == [True]
