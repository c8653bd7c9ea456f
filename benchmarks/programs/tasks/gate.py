"""A queue that threads serve: the message that all items are done comes after the next item has been put.

Kind: order violation. Mechanism: an event is set by ``call_soon_threadsafe``, after a later ``clear``.
"""

import asyncio
import sys
import threading

REPAIRED = "repaired" in sys.argv


class Queue:
    def __init__(self):
        self.lock = threading.Lock()
        self.loop = asyncio.get_running_loop()
        self.unfinished = 0
        self.finished = asyncio.Event()

    def put(self):
        with self.lock:
            self.unfinished += 1
            self.finished.clear()

    def done(self):
        with self.lock:
            self.unfinished -= 1
            if self.unfinished == 0:
                self.loop.call_soon_threadsafe(self.announce)

    def announce(self):
        with self.lock:
            if self.unfinished == 0 or not REPAIRED:
                self.finished.set()

    async def join(self):
        await self.finished.wait()
        assert self.unfinished == 0, "not all items are done"


async def produce(queue):
    await asyncio.sleep(0.01)
    queue.put()
    await asyncio.to_thread(queue.done)


async def main():
    queue = Queue()
    queue.put()
    producing = asyncio.create_task(produce(queue))
    await asyncio.to_thread(queue.done)
    await queue.join()
    await producing


if __name__ == "__main__":
    asyncio.run(main())
