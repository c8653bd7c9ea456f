"""A thread calls ``call_soon``, which does not wake a loop that waits."""

import asyncio
import threading


async def main():
    loop = asyncio.get_running_loop()
    future = loop.create_future()
    thread = threading.Thread(target=lambda: loop.call_soon(future.set_result, 3))
    thread.start()
    await future
    thread.join()


asyncio.run(main())
