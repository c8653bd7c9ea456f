"""A default is put into a cache whose lock is not reentrant (jinja PR #1000)."""

import threading

from jinja2.utils import LRUCache

cache = LRUCache(4)


def work(name):
    assert cache.setdefault(name, 1) == 1


threads = [threading.Thread(target=work, args=(name,)) for name in "ab"]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
