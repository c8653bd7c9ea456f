"""An interface's method, written in Python, changes a dictionary."""

import threading
from collections.abc import MutableMapping

thing = {"a": 1, "b": 2}
same = []


def look():
    first = repr(thing)
    second = repr(thing)
    same.append(first == second)


def change():
    MutableMapping.pop(thing, "a")


threads = [threading.Thread(target=each) for each in (look, change)]
for each in threads:
    each.start()
for each in threads:
    each.join()
assert same == [True]
