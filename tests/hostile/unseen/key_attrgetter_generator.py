"""max() reads an attribute of each element of a generator."""

import operator
import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


class Box:
    pass


one, two = Box(), Box()
one.n, two.n = 0, 1


def write():
    one.n = 5
    one.n = 0


def look():
    assert max((each for each in (one, two)), key=operator.attrgetter("n")) is two


run(write, look)
