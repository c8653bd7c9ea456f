"""`typing.Counter(x)` counts the elements of x."""

import threading
import typing

thing = [1, 1, 2]
same = []


def look():
    first = repr(typing.Counter(thing))
    second = repr(typing.Counter(thing))
    same.append(first == second)


def change():
    thing[0] = 2


threads = [threading.Thread(target=each) for each in (look, change)]
for each in threads:
    each.start()
for each in threads:
    each.join()
assert same == [True]
