"""A proxy, whose special methods a descriptor gives: hash as key."""

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

    __hash__ = Lookup(hash)


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


class Key:
    n = 0

    def __hash__(self):
        return self.n


key = Key()
proxy = Proxy(lambda: key)
table = {}


def change():
    key.n = 1
    key.n = 0


def put():
    table[proxy] = 1


run(change, put)
assert proxy in table
