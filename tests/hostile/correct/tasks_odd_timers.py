"""Timers that are very late, past, at times that the program has seen, and cancelled."""

import asyncio


async def main():
    loop = asyncio.get_running_loop()
    seen = []
    h = loop.call_later(1e9, seen.append, 0)
    loop.call_later(-1, seen.append, 1)
    loop.call_at(loop.time() + 0.01, seen.append, 2)
    async with asyncio.timeout_at(loop.time() + 50) as cm:
        assert 49 < cm.when() - loop.time() <= 50
        await asyncio.sleep(0.02)
    async with asyncio.timeout(None):
        pass
    assert h.when() > 1e8
    h.cancel()
    t0 = loop.time()
    await asyncio.sleep(0.5)
    assert loop.time() - t0 >= 0.5
    assert seen == [1, 2], seen


asyncio.run(main())
