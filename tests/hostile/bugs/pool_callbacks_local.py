"""Callbacks of a thread pool, which one thread calls: they share its thread-local data."""

import threading
from multiprocessing.pool import ThreadPool

here = threading.local()
seen = []


def count(_result):
    here.calls = getattr(here, "calls", 0) + 1
    seen.append(here.calls)


pool = ThreadPool(2)
for result in [pool.apply_async(abs, (n,), callback=count) for n in (1, 2)]:
    result.wait()
pool.close()
pool.join()
assert seen == [1, 1]
