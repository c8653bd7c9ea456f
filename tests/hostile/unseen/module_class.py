"""A module is given another class."""

import sys
import threading
import types


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


class Lazy(types.ModuleType):
    pass


space = types.ModuleType("space")
space.n = 0


def write():
    space.__class__ = Lazy
    space.__class__ = types.ModuleType


def look():
    assert type(space) is types.ModuleType


run(write, look)
