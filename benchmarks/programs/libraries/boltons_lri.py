"""A cache for one entry keeps one."""

# package: boltons
# include: boltons
# expect: correct

from boltons.cacheutils import LRU
from together import run


def test():
    cache = LRU(max_size=1)

    def put(key):
        cache[key] = key

    run(lambda: put("a"), lambda: put("b"))
    assert len(cache) == 1
