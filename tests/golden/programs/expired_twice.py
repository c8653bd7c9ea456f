"""Two calls of a cache remove the same entry, whose time is over. After a report about cachetools."""

import threading


class Cache:
    def __init__(self):
        self.entries = {"old": 1}

    def expire(self, now):
        for key in [each for each, until in self.entries.items() if until < now]:
            del self.entries[key]


cache = Cache()
threads = [threading.Thread(target=cache.expire, args=(2,)) for _ in range(2)]
for each in threads:
    each.start()
for each in threads:
    each.join()
