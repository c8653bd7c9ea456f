"""Two threads fill a cache that holds one entry: one stays."""

# package: zict
# include: zict
# expect: bug
# shows: self.total_weight -= weight

import zict
from together import run


def test():
    evicted = []
    cache = zict.LRU(1, {}, on_evict=lambda key, value: evicted.append(key))

    def put(key):
        cache[key] = key.upper()

    run(lambda: put("a"), lambda: put("b"))
    assert len(cache) == 1, (dict(cache), evicted)
