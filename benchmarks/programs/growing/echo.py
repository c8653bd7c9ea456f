"""A server that five clients talk to; with the argument ``race`` it loses count of them."""

import asyncio
import sys

served = 0


async def answer(reader, writer):
    global served
    before = served
    line = await reader.readline()
    served = (before if "race" in sys.argv else served) + 1
    writer.write(line)
    await writer.drain()
    writer.close()


async def talk(port, number):
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(b"%d\n" % number)
    assert await reader.readline() == b"%d\n" % number
    writer.close()


async def main():
    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    await asyncio.gather(*[talk(port, number) for number in range(5)])
    assert served == 5, served
    server.close()


asyncio.run(main())
