"""A thread uses the loop that another one has set for itself only."""

import asyncio
import threading

seen = []


def set_and_get(number):
    loop = asyncio.new_event_loop()
    asyncio.set_event_loop(loop)
    seen.append(asyncio.get_event_loop_policy().get_event_loop() is loop)
    loop.close()
    shared.append(number)
    if len(shared) == 1:
        order.append(number)


shared, order = [], []
threads = [threading.Thread(target=set_and_get, args=(n,)) for n in range(2)]
for each in threads:
    each.start()
for each in threads:
    each.join()
assert all(seen)
assert order == [0], order
