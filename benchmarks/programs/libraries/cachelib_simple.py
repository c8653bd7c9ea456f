"""Two threads keep values of their own in one cache."""

# package: cachelib
# include: cachelib
# expect: correct

from cachelib import SimpleCache
from together import run


def test():
    cache = SimpleCache()

    def use(key):
        def body():
            cache.set(key, 1)
            assert cache.get(key) == 1

        return body

    run(use("a"), use("b"))
