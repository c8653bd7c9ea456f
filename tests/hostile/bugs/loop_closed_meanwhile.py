"""A loop is closed before a thread adds its callback."""

import asyncio
import threading

failed = []
loop = asyncio.new_event_loop()


def add():
    try:
        loop.call_soon_threadsafe(print)
    except RuntimeError as error:
        failed.append(error)


thread = threading.Thread(target=add)
thread.start()
loop.call_soon(loop.stop)
loop.run_forever()
loop.close()
thread.join()
assert not failed, failed
