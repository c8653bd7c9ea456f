"""A loop that a thread has woken has not slept for ten seconds."""

import asyncio

seen = []


async def late():
    await asyncio.sleep(10)
    seen.append("late")


async def main():
    t = asyncio.create_task(late())
    await asyncio.sleep(0)
    await asyncio.to_thread(int)
    await asyncio.sleep(0.01)
    seen.append("soon")
    await t


asyncio.run(main())
assert seen == ["soon", "late"], seen
