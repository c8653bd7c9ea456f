"""Each of two threads runs a loop of its own."""

import asyncio
import threading

results = []


async def main(number):
    await asyncio.sleep(number)
    assert asyncio.get_running_loop() is asyncio.get_event_loop()
    assert asyncio.current_task() in asyncio.all_tasks()
    assert len(asyncio.all_tasks()) == 1
    results.append(number)


threads = [threading.Thread(target=lambda n=n: asyncio.run(main(n))) for n in range(2)]
for each in threads:
    each.start()
for each in threads:
    each.join()
assert sorted(results) == [0, 1]
