"""Generators that a thread pool goes through, both in one thread."""

import threading
from multiprocessing.pool import ThreadPool

seen = set()


def numbers(n):
    seen.add(threading.get_ident())
    yield n


pool = ThreadPool(2)
for results in [pool.imap(abs, numbers(n)) for n in (1, 2)]:
    list(results)
pool.close()
pool.join()
assert len(seen) == 2
