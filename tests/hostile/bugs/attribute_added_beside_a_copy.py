"""An attribute is stored in an object that another thread copies, which reads only those that are there."""

import copy
import threading


class Thing:
    pass


thing = Thing()
thing.a = 1
seen = []


def first():
    seen.append(hasattr(copy.copy(thing), "b"))


def second():
    thing.b = 2


threads = [threading.Thread(target=each) for each in (first, second)]
for each in threads:
    each.start()
for each in threads:
    each.join()
assert seen == [False]
