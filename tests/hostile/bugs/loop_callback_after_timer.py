"""A callback of another thread may come in the same iteration as a timer, after it."""

import asyncio
import threading

seen = []


def fire(loop):
    seen.append("timer")
    loop.stop()


loop = asyncio.new_event_loop()
loop.call_later(0.01, fire, loop)
thread = threading.Thread(target=lambda: loop.call_soon_threadsafe(seen.append, "other"))
thread.start()
loop.run_forever()
before = list(seen)
thread.join()
loop.close()
assert before != ["timer", "other"], before
