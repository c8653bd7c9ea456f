"""The elements of a `UserList` are described, too."""

import threading
from collections import UserList

thing = [1, 2, 3]
same = []


def look():
    first = repr(UserList([thing]))
    second = repr(UserList([thing]))
    same.append(first == second)


def change():
    thing[0] = 65


threads = [threading.Thread(target=each) for each in (look, change)]
for each in threads:
    each.start()
for each in threads:
    each.join()
assert same == [True]
