"""Class attribute with a name starting with __ (not dunder), outside the class."""

import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


class Box:
    pass


setattr(Box, "__n", 0)


def write():
    Box.__n = 1
    Box.__n = 2


def look():
    assert Box.__n != 1


run(write, look)
