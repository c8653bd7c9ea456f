"""A slot is deleted while its object is copied."""

import copy
import threading


class Thing:
    __slots__ = ("a",)


thing = Thing()
thing.a = 1
seen = []


def first():
    seen.append(hasattr(copy.copy(thing), "a"))


def second():
    del thing.a


threads = [threading.Thread(target=each) for each in (first, second)]
for each in threads:
    each.start()
for each in threads:
    each.join()
assert seen == [True]
