"""A limiter of tokens per borrower: the borrower that is notified is cancelled, and its token is counted for ever.

Kind: lost permit. Mechanism: the token is booked by the releaser, and a cancelled waiter does not give it back.
"""

import asyncio
import sys

REPAIRED = "repaired" in sys.argv


class Limiter:
    def __init__(self, tokens):
        self.tokens = tokens
        self.borrowers = set()
        self.waiting = {}

    async def acquire(self, borrower):
        if len(self.borrowers) < self.tokens and not self.waiting:
            self.borrowers.add(borrower)
            return
        event = self.waiting[borrower] = asyncio.Event()
        try:
            await event.wait()
        except BaseException:
            if self.waiting.pop(borrower, None) is None and REPAIRED:
                self.release(borrower)
            raise

    def release(self, borrower):
        self.borrowers.discard(borrower)
        if self.waiting and len(self.borrowers) < self.tokens:
            following = next(iter(self.waiting))
            event = self.waiting.pop(following)
            self.borrowers.add(following)
            event.set()


async def work(limiter, name, seconds):
    await limiter.acquire(name)
    try:
        await asyncio.sleep(seconds)
    finally:
        limiter.release(name)


async def main():
    limiter = Limiter(1)
    slow = asyncio.create_task(work(limiter, "slow", 0.01))
    try:
        async with asyncio.timeout(0.011):
            await asyncio.sleep(0)
            await work(limiter, "hasty", 0.001)
    except TimeoutError:
        pass
    await slow
    assert not limiter.borrowers, limiter.borrowers


if __name__ == "__main__":
    asyncio.run(main())
