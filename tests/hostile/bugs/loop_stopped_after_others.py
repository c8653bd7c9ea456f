"""... or after them."""

import asyncio
import threading

seen = []
loop = asyncio.new_event_loop()


def first():
    loop.call_soon(seen.append, "second")


loop.call_soon(first)
thread = threading.Thread(target=lambda: loop.call_soon_threadsafe(loop.stop))
thread.start()
loop.run_forever()
thread.join()
loop.close()
assert seen == [], seen
