"""A proxy, whose special methods a descriptor gives: getattr augmented."""

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

    __getattr__ = Lookup(getattr)
    __setattr__ = Lookup(setattr)


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


class Box:
    n = 0


box = Box()
proxy = Proxy(lambda: box)


def work():
    proxy.n += 1


run(work, work)
assert box.n == 2
