"""A class pattern reads an attribute that an instance has from its class."""

import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


class Box:
    n = 0


box = Box()


def write():
    Box.n = 1
    Box.n = 2


def look():
    match box:
        case Box(n=1):
            raise AssertionError


run(write, look)
