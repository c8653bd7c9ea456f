"""A thread sets the result of a future of `asyncio` itself."""

import asyncio
import threading


async def main():
    future = asyncio.get_running_loop().create_future()
    thread = threading.Thread(target=future.set_result, args=(1,))
    thread.start()
    await future
    thread.join()


asyncio.run(main())
