"""A cache by a weak dictionary, whose values are made and stored under a lock."""

import threading
import weakref


class Thing:
    pass


cache = weakref.WeakValueDictionary()
lock = threading.Lock()
kept = []


def get(key):
    with lock:
        thing = cache.get(key)
        if thing is None:
            thing = cache[key] = Thing()
        kept.append(thing)


threads = [threading.Thread(target=get, args=("a",)) for _ in range(2)]
for each in threads:
    each.start()
for each in threads:
    each.join()
assert kept[0] is kept[1]
