"""A cached property is computed under a lock, once."""

import functools
import threading

lock = threading.Lock()
made = []


class Thing:
    @functools.cached_property
    def size(self):
        made.append(1)
        return len(made)


thing = Thing()


def look():
    with lock:
        assert thing.size == 1


threads = [threading.Thread(target=look) for _ in range(2)]
for each in threads:
    each.start()
for each in threads:
    each.join()
assert made == [1]
assert vars(thing) == {"size": 1}
