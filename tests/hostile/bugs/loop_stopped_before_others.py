"""A thread stops the loop before the callbacks that the loop adds itself have run."""

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
assert seen == ["second"], seen
