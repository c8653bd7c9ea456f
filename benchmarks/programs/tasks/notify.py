"""A condition of one's own: the waiter that is notified is cancelled, and the notification is lost with it.

Kind: lost wake-up. Mechanism: the cancelled waiter does not notify another one.
"""

import asyncio
import sys
from collections import deque

REPAIRED = "repaired" in sys.argv


class Condition:
    def __init__(self):
        self.waiters = deque()

    async def wait(self):
        waiter = asyncio.get_running_loop().create_future()
        self.waiters.append(waiter)
        try:
            await waiter
        except asyncio.CancelledError:
            if REPAIRED and waiter.done() and not waiter.cancelled():
                self.notify()
            raise
        finally:
            if waiter in self.waiters:
                self.waiters.remove(waiter)

    def notify(self):
        for waiter in self.waiters:
            if not waiter.done():
                waiter.set_result(None)
                break


stock = []


async def buyer(condition, limit):
    try:
        async with asyncio.timeout(limit):
            while not stock:
                await condition.wait()
            return stock.pop()
    except TimeoutError:
        return None


async def seller(condition):
    await asyncio.sleep(0.01)
    stock.append("bread")
    condition.notify()


async def main():
    condition = Condition()
    hasty = asyncio.create_task(buyer(condition, 0.015))
    patient = asyncio.create_task(buyer(condition, None))
    await seller(condition)
    if await hasty:
        stock.append("more")
        condition.notify()
    assert await patient


if __name__ == "__main__":
    asyncio.run(main())
