"""A callback of another thread may come between two that the loop adds in one go."""

import asyncio
import threading

seen = []


async def main():
    loop = asyncio.get_running_loop()
    done = loop.create_future()
    thread = threading.Thread(target=lambda: loop.call_soon_threadsafe(seen.append, "other"))
    thread.start()
    loop.call_soon(seen.append, "first")
    loop.call_soon(seen.append, "second")
    loop.call_later(1, done.set_result, None)
    await done
    thread.join()
    await asyncio.sleep(0)


asyncio.run(main())
assert seen != ["first", "other", "second"], seen
