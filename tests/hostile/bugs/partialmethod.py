"""Functools.partialmethod of a C function (setattr)."""

import functools
import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


class Box:
    n = 0
    one = functools.partialmethod(setattr, "n", 1)
    two = functools.partialmethod(setattr, "n", 2)


box = Box()


def write():
    box.one()
    box.two()


def look():
    assert box.n != 1


run(write, look)
