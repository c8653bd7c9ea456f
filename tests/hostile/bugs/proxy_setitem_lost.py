"""A proxy, whose special methods a descriptor gives: setitem lost."""

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

    __getitem__ = Lookup(operator.getitem)
    __setitem__ = Lookup(operator.setitem)


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


data = {"n": 0}
proxy = Proxy(lambda: data)


def work():
    proxy["n"] = proxy["n"] + 1


run(work, work)
assert data["n"] == 2
