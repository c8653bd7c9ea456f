"""A cache without a lock, which the documentation asks for."""

# package: cachetools
# include: cachetools
# expect: bug
# shows: currsize

from cachetools import LFUCache
from together import run


def test():
    cache = LFUCache(maxsize=2)
    cache["x"] = cache["y"] = 0

    def put(key):
        cache[key] = key

    run(lambda: put("a"), lambda: put("b"))
    assert len(cache) == cache.currsize == 2, (len(cache), cache.currsize)
