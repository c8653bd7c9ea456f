import asyncio


class Client:
    """Asks for goods, a few at a time."""

    def __init__(self, at_once=2):
        self.at_once = at_once
        self.asked = []

    async def stock(self, name):
        self.asked.append(name)
        await asyncio.sleep(0)
        return len(name)

    async def stocks(self, names):
        room = asyncio.Semaphore(self.at_once)

        async def one(name):
            async with room:
                return await self.stock(name)

        return await asyncio.gather(*map(one, names))


class Session:
    """Counts requests; `ask` waits between a look and a change, `ask_safely` has a lock."""

    def __init__(self):
        self.requests = 0
        self._lock = asyncio.Lock()

    async def ask(self):
        requests = self.requests
        await asyncio.sleep(0)
        self.requests = requests + 1

    async def ask_safely(self):
        async with self._lock:
            await self.ask()


async def pipe(numbers):
    """Doubles numbers on their way through a queue."""
    waiting, doubled = asyncio.Queue(1), []

    async def take():
        while (number := await waiting.get()) is not None:
            doubled.append(2 * number)

    taker = asyncio.create_task(take())
    for number in [*numbers, None]:
        await waiting.put(number)
    await taker
    return doubled
