"""Two attempts to connect, the second one begun after a while: both succeed in one iteration.

Kind: order violation. Mechanism: the loser is cancelled, but had finished.
"""

import asyncio
import sys

REPAIRED = "repaired" in sys.argv
connected = []


async def attempt(address, seconds):
    await asyncio.sleep(seconds)
    connected.append(address)
    return address


async def connect():
    first = asyncio.create_task(attempt("::1", 0.02))
    done, _ = await asyncio.wait([first], timeout=0.01)
    if done:
        return first.result()
    second = asyncio.create_task(attempt("127.0.0.1", 0.01))
    done, pending = await asyncio.wait([first, second], return_when=asyncio.FIRST_COMPLETED)
    if REPAIRED:
        kept, *others = [each for each in (first, second) if each in done]
        for each in others:
            connected.remove(each.result())
    else:
        (kept,) = done
    for each in pending:
        each.cancel()
    return kept.result()


async def main():
    address = await connect()
    assert connected == [address], connected


if __name__ == "__main__":
    asyncio.run(main())
