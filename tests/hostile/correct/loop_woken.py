"""A thread wakes the loop that waits for it."""

import asyncio
import threading


async def main():
    loop = asyncio.get_running_loop()
    future = loop.create_future()
    thread = threading.Thread(target=lambda: loop.call_soon_threadsafe(future.set_result, 3))
    thread.start()
    assert await future == 3
    thread.join()


asyncio.run(main())
