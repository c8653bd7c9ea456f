"""A descriptor that is looked up by every read of an attribute is replaced in its class."""

import threading


class Lazy:
    def __get__(self, thing, owner=None):
        return 20


class Box:
    size = Lazy()


thing = Box()
same = []


def look():
    first = thing.size
    second = thing.size
    same.append(first == second)


def change():
    Box.size = 31


threads = [threading.Thread(target=each) for each in (look, change)]
for each in threads:
    each.start()
for each in threads:
    each.join()
assert same == [True]
