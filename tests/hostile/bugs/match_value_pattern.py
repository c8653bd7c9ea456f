"""A value pattern reads an attribute."""

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
    box.n = 1
    box.n = 2


def look():
    match 1:
        case box.n:
            raise AssertionError


run(write, look)
