"""A method in Python of a container of the library is called by its class."""

import threading
from collections import UserList

thing = UserList([1, 2, 3])
same = []


def look():
    first = repr(thing)
    second = repr(thing)
    same.append(first == second)


def change():
    thing.__class__.clear(thing)


threads = [threading.Thread(target=each) for each in (look, change)]
for each in threads:
    each.start()
for each in threads:
    each.join()
assert same == [True]
