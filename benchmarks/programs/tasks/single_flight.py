"""A cache in which one task loads a value and others wait: a late loader removes the entry of the next load.

Kind: check-then-act. Mechanism: the entry of a flight is removed by key, not by identity.
"""

import asyncio
import sys

REPAIRED = "repaired" in sys.argv
flights = {}
values = {}


async def load(key, seconds):
    while key in flights:
        await flights[key].wait()
        if key in values:
            return values[key]
    event = flights[key] = asyncio.Event()
    asyncio.get_running_loop().call_later(0.01, expire, key, event)
    await asyncio.sleep(seconds)
    values[key] = seconds
    if REPAIRED:
        if flights.get(key) is event:
            del flights[key]
        event.set()
    else:
        flights.pop(key).set()
    return values[key]


def expire(key, event):
    if REPAIRED and flights.get(key) is not event:
        return
    found = flights.pop(key, None)
    if found is not None:
        found.set()


async def main():
    first = asyncio.create_task(load("user", 0.009))
    await asyncio.sleep(0.012)
    second = asyncio.create_task(load("user", 0.002))
    assert await first == 0.009
    assert await second is not None


if __name__ == "__main__":
    asyncio.run(main())
