"""`|=` reads pairs, also in the library's own dictionary in Python."""

import threading
from collections import UserDict

thing = ["a", "b"]
same = []


def look():
    first = repr(UserDict(a=1).__ior__([thing]))
    second = repr(UserDict(a=1).__ior__([thing]))
    same.append(first == second)


def change():
    thing[0] = "c"


threads = [threading.Thread(target=each) for each in (look, change)]
for each in threads:
    each.start()
for each in threads:
    each.join()
assert same == [True]
