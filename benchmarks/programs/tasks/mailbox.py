"""A mailbox hands a letter to a reader that waits; the reader's timeout expires before it runs.

Kind: lost item. Mechanism: the item is the result of a future whose waiter is cancelled.
"""

import asyncio
import sys
from collections import deque

REPAIRED = "repaired" in sys.argv


class Mailbox:
    def __init__(self):
        self.letters = deque()
        self.readers = deque()

    def put(self, letter):
        while self.readers:
            reader = self.readers.popleft()
            if not reader.done():
                reader.set_result(letter)
                return
        self.letters.append(letter)

    async def get(self, seconds):
        if self.letters:
            return self.letters.popleft()
        reader = asyncio.get_running_loop().create_future()
        self.readers.append(reader)
        try:
            async with asyncio.timeout(seconds):
                return await reader
        except TimeoutError:
            if REPAIRED and reader.done() and not reader.cancelled():
                return reader.result()
            return None


async def postman(mailbox):
    await asyncio.sleep(0.01)
    mailbox.put("letter")


async def main():
    mailbox = Mailbox()
    delivery = asyncio.create_task(postman(mailbox))
    got = await mailbox.get(0.02)
    await delivery
    if got is None:
        got = await mailbox.get(1)
    assert got == "letter"


if __name__ == "__main__":
    asyncio.run(main())
