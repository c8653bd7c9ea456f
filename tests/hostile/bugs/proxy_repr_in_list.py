"""A proxy, whose special methods a descriptor gives: repr in list."""

import operator
import threading
from functools import partial


class Lookup:
    def __init__(self, function):
        self.function = function

    def __get__(self, instance, owner=None):
        if instance is None:
            return self
        return partial(self.function, instance.thing())


class Proxy:
    __slots__ = ("thing",)

    def __init__(self, thing):
        object.__setattr__(self, "thing", thing)

    __repr__ = Lookup(repr)


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


data = []
proxy = Proxy(lambda: data)
seen = []


def change():
    data.append(1)
    data.append(2)


run(change, lambda: seen.append(repr([proxy])))
assert seen != ["[[1]]"]
