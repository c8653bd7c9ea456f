"""A coroutine is handed to the loop of another thread."""

import asyncio
import threading


async def add(one, other):
    await asyncio.sleep(0)
    return one + other


loop = asyncio.new_event_loop()
thread = threading.Thread(target=loop.run_forever)
thread.start()
assert asyncio.run_coroutine_threadsafe(add(1, 2), loop).result() == 3
loop.call_soon_threadsafe(loop.stop)
thread.join()
loop.close()
