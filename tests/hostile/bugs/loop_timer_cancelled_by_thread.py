"""A thread cancels a timer of a loop, which has fired or has not."""

import asyncio
import threading

seen = []


async def main():
    loop = asyncio.get_running_loop()
    timer = loop.call_later(0.001, seen.append, 1)
    thread = threading.Thread(target=timer.cancel)
    thread.start()
    await asyncio.sleep(0.002)
    thread.join()


asyncio.run(main())
assert not seen
