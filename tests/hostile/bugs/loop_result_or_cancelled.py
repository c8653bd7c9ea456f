"""A future of another thread's loop is cancelled, or done already."""

import asyncio
import threading


async def add(one, other):
    return one + other


loop = asyncio.new_event_loop()
thread = threading.Thread(target=loop.run_forever)
thread.start()
future = asyncio.run_coroutine_threadsafe(add(1, 2), loop)
was_cancelled = future.cancel()
loop.call_soon_threadsafe(loop.stop)
thread.join()
loop.close()
assert was_cancelled
