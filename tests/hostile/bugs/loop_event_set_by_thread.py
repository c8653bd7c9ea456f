"""A thread sets an event of `asyncio`, which is not made for threads."""

import asyncio
import threading


async def main():
    event = asyncio.Event()
    thread = threading.Thread(target=event.set)
    thread.start()
    await event.wait()
    thread.join()


asyncio.run(main())
