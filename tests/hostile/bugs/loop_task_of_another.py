"""A thread asks which task the loop of another one runs."""

import asyncio
import threading

seen = []


async def main():
    loop = asyncio.get_running_loop()
    thread = threading.Thread(target=lambda: seen.append(asyncio.current_task(loop)))
    thread.start()
    await asyncio.sleep(0)
    thread.join()


asyncio.run(main())
assert seen == [None], seen
