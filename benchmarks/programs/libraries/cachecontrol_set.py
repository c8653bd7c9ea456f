"""The later of two answers is kept."""

# package: CacheControl
# include: cachecontrol
# expect: correct

from cachecontrol.cache import DictCache
from together import run


def test():
    cache = DictCache()
    run(lambda: cache.set("k", b"1"), lambda: cache.set("k", b"2"))
    assert cache.get("k") in (b"1", b"2")
