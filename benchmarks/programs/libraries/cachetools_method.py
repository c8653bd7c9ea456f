"""A method's answers are cached under a lock."""

# package: cachetools
# include: cachetools
# expect: correct

import threading

from cachetools import TTLCache, cachedmethod
from together import run


class Prices:
    def __init__(self):
        self.cache = TTLCache(maxsize=4, ttl=60)
        self.lock = threading.Lock()

    @cachedmethod(lambda self: self.cache, lock=lambda self: self.lock)
    def of(self, article):
        return len(article)


def test():
    prices = Prices()
    seen = []
    run(lambda: seen.append(prices.of("pen")), lambda: seen.append(prices.of("pen")))
    assert seen == [3, 3]
    assert len(prices.cache) == 1
