"""A thread waits a second, and a task beside it sleeps five: the thread comes first."""

import asyncio
import threading

seen = []


def work():
    threading.Event().wait(1)
    seen.append("thread")


async def main():
    t = threading.Thread(target=work)
    t.start()
    await asyncio.sleep(5)
    seen.append("loop")
    t.join()


asyncio.run(main())
assert seen == ["thread", "loop"], seen
