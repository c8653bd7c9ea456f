"""Attrgetter("box.n") where box is a property."""

import operator
import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


class Box:
    n = 0


class Holder:
    def __init__(self):
        self._box = Box()

    @property
    def box(self):
        return self._box


holder = Holder()
get = operator.attrgetter("box.n")


def write():
    holder._box.n = 1
    holder._box.n = 2


def look():
    assert get(holder) != 1


run(write, look)
