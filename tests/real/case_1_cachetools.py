"""Two calls of a cached function, once its cached result has expired (tkem/cachetools #115, #288)."""

import threading

from cachetools import TTLCache, cached

now = 0


@cached(TTLCache(maxsize=8, ttl=60, timer=lambda: now))
def square(number):
    return number * number


square(1)
now = 100  # a while later the entry has expired

threads = [threading.Thread(target=square, args=(number,)) for number in (2, 3)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
