"""`map` stores items by a method in C, key by key; another thread sees some of them."""

import threading

things = {}


def fill():
    list(map(things.__setitem__, ["a", "b"], [1, 2]))


def look():
    if "a" in things:
        assert things != {"a": 1, "b": 2}


threads = [threading.Thread(target=each) for each in (fill, look)]
for each in threads:
    each.start()
for each in threads:
    each.join()
