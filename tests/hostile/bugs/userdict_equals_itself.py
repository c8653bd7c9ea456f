"""A dictionary in Python compared with itself goes through its items, one after the other."""

import collections
import threading

thing = collections.UserDict(a=1)
errors = []


def work_0():
    try:
        thing == thing
    except KeyError as error:
        errors.append(error)


def work_1():
    thing.pop("a", None)


ts = [threading.Thread(target=f) for f in (work_0, work_1)]
for t in ts:
    t.start()
for t in ts:
    t.join()
assert not errors
