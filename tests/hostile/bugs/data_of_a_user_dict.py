"""A `UserDict` gets another dictionary to stand for."""

import collections
import threading

thing = collections.UserDict(a=1)
seen = []


def first():
    seen.append(len(thing))


def second():
    thing.data = {"a": 1, "b": 2}


threads = [threading.Thread(target=each) for each in (first, second)]
for each in threads:
    each.start()
for each in threads:
    each.join()
assert seen == [1]
