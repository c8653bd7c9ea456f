"""A value of a weak dictionary is replaced by one that ends at once: then the key is gone, for who looks in between."""

import threading
import weakref


class Thing:
    pass


kept = Thing()
cache = weakref.WeakValueDictionary(a=kept)
seen = []


def replace():
    thing = Thing()
    cache["a"] = thing
    del thing


def look():
    seen.append("a" in cache)


threads = [threading.Thread(target=look), threading.Thread(target=replace)]
for each in threads:
    each.start()
for each in threads:
    each.join()
assert seen == [True]
