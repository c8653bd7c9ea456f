"""A client's limit of connections: a free slot is handed to a waiter whose timeout expires before it goes on.

Kind: lost permit. Mechanism: the waiter is cancelled after its future has been set, and nobody passes the slot on.
"""

import asyncio
import sys
from collections import deque

REPAIRED = "repaired" in sys.argv


class Connector:
    def __init__(self, limit):
        self.free = limit
        self.waiters = deque()

    async def acquire(self):
        if self.free:
            self.free -= 1
            return
        waiter = asyncio.get_running_loop().create_future()
        self.waiters.append(waiter)
        try:
            await waiter
        except asyncio.CancelledError:
            if waiter in self.waiters:
                self.waiters.remove(waiter)
            elif REPAIRED and not waiter.cancelled():
                self.release()
            raise

    def release(self):
        while self.waiters:
            waiter = self.waiters.popleft()
            if not waiter.done():
                waiter.set_result(None)
                return
        self.free += 1


async def request(connector, seconds):
    await connector.acquire()
    try:
        await asyncio.sleep(seconds)
    finally:
        connector.release()


async def impatient(connector):
    try:
        async with asyncio.timeout(0.02):
            await request(connector, 0.001)
    except TimeoutError:
        pass


async def main():
    connector = Connector(1)
    await asyncio.gather(request(connector, 0.015), impatient(connector))
    assert connector.free == 1, "a slot is lost"


if __name__ == "__main__":
    asyncio.run(main())
