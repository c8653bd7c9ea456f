"""Property whose fget is C (operator.attrgetter)."""

import operator
import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


class Box:
    n = property(operator.attrgetter("_n"))


box = Box()
box._n = 0


def write():
    box._n = 1
    box._n = 2


def look():
    assert box.n != 1


run(write, look)
