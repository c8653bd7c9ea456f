"""A limit expires in the iteration in which the result has come, so that the caller never gets it."""

import asyncio

sent, received = [], []


async def answer(future):
    await asyncio.sleep(0.004)
    sent.append(1)
    future.set_result(1)


async def main():
    future = asyncio.get_running_loop().create_future()
    task = asyncio.create_task(answer(future))
    try:
        async with asyncio.timeout(0.006):
            received.append(await future)
    except TimeoutError:
        pass
    await asyncio.gather(task, return_exceptions=True)


asyncio.run(main())
assert received == sent, (sent, received)
