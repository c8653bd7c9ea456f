"""A lock that hands itself to the next waiter by name: that one is cancelled in the iteration of the release.

Kind: lost lock. Mechanism: the owner is set before the waiter runs, and the waiter never does.
"""

import asyncio
import sys
from collections import deque

REPAIRED = "repaired" in sys.argv


class FairLock:
    def __init__(self):
        self.owner = None
        self.queue = deque()

    async def __aenter__(self):
        task = asyncio.current_task()
        if self.owner is None:
            self.owner = task
            return
        granted = asyncio.Event()
        self.queue.append((task, granted))
        try:
            await granted.wait()
        except asyncio.CancelledError:
            if (task, granted) in self.queue:
                self.queue.remove((task, granted))
            elif REPAIRED:
                self._pass_on()
            raise

    async def __aexit__(self, *exception):
        self._pass_on()

    def _pass_on(self):
        if self.queue:
            self.owner, granted = self.queue.popleft()
            granted.set()
        else:
            self.owner = None


async def update(lock, totals, name, seconds):
    async with lock:
        await asyncio.sleep(seconds)
        totals.append(name)


async def main():
    lock, totals = FairLock(), []
    first = asyncio.create_task(update(lock, totals, "first", 0.01))
    second = asyncio.create_task(asyncio.wait_for(update(lock, totals, "second", 0), 0.012))
    await asyncio.gather(first, second, return_exceptions=True)
    await asyncio.wait_for(update(lock, totals, "third", 0), 30)


if __name__ == "__main__":
    asyncio.run(main())
