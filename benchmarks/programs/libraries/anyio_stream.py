"""A task sends numbers to another one by a stream."""

# package: anyio
# include: anyio
# expect: correct

import anyio


async def main():
    send, receive = anyio.create_memory_object_stream(1)
    got = []

    async def produce():
        async with send:
            for n in range(2):
                await send.send(n)

    async def consume():
        async with receive:
            async for n in receive:
                got.append(n)

    async with anyio.create_task_group() as group:
        group.start_soon(produce)
        group.start_soon(consume)
    assert got == [0, 1]


def test():
    anyio.run(main)
