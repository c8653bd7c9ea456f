"""A cache of templates finds frequently used entries."""

# package: Mako
# include: mako
# expect: correct

from mako.util import LRUCache
from together import run


def test():
    cache = LRUCache(2)

    def put(key):
        cache[key] = key.upper()

    run(lambda: put("a"), lambda: put("b"))
    assert (cache["a"], cache["b"]) == ("A", "B")
