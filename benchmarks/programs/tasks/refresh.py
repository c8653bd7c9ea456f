"""Two requests find a token that has expired, and both refresh it: the server takes the second refresh for a theft.

Kind: check-then-act over an await.
"""

import asyncio
import sys

REPAIRED = "repaired" in sys.argv


class Session:
    def __init__(self):
        self.token, self.is_valid, self.refreshed = "old", False, 0
        self.lock = asyncio.Lock()

    async def refresh(self):
        await asyncio.sleep(0.005)
        self.refreshed += 1
        assert self.refreshed == 1, "the refresh token has been used"
        self.token, self.is_valid = "new", True

    async def request(self, path):
        if REPAIRED:
            async with self.lock:
                if not self.is_valid:
                    await self.refresh()
        elif not self.is_valid:
            await self.refresh()
        return path, self.token


async def visit(session, path, seconds):
    await asyncio.sleep(seconds)
    return await session.request(path)


async def main():
    session = Session()
    found = await asyncio.gather(visit(session, "/a", 0), visit(session, "/b", 0.02))
    assert {token for _, token in found} == {"new"}


if __name__ == "__main__":
    asyncio.run(main())
