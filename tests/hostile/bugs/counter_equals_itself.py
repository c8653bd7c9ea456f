"""A counter compared with itself goes through its items in Python."""

import collections
import threading

thing = collections.Counter(a=1, b=2)
errors = []


def work_0():
    try:
        thing == thing
    except RuntimeError as error:
        errors.append(error)


def work_1():
    thing["c"] = 3


ts = [threading.Thread(target=f) for f in (work_0, work_1)]
for t in ts:
    t.start()
for t in ts:
    t.join()
assert not errors
