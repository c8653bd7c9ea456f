"""A thread puts an item into a queue of `asyncio`, which is not made for threads."""

import asyncio
import threading


async def main():
    queue = asyncio.Queue()
    thread = threading.Thread(target=queue.put_nowait, args=(1,))
    thread.start()
    assert await queue.get() == 1
    thread.join()


asyncio.run(main())
