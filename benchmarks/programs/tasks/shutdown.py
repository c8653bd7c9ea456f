"""A worker in a thread reports its result by call_soon_threadsafe; the loop's timeout has closed the account meanwhile.

Kind: order violation. Mechanism: a timer against the result of a thread.
"""

import asyncio
import sys

REPAIRED = "repaired" in sys.argv


class Account:
    def __init__(self):
        self.balance, self.is_open = 0, True

    def deposit(self, amount):
        if not self.is_open:
            raise ValueError("the account is closed")
        self.balance += amount


async def transfer(account, amount):
    amount = await asyncio.to_thread(lambda: amount * 2)
    account.deposit(amount)


async def main():
    account = Account()
    moving = asyncio.create_task(transfer(account, 5))
    done, _ = await asyncio.wait([moving], timeout=0.05)
    if REPAIRED and not done:
        moving.cancel()
        await asyncio.wait([moving])
    account.is_open = False
    if not moving.cancelled():
        await moving
    assert account.balance in (0, 10)


if __name__ == "__main__":
    asyncio.run(main())
