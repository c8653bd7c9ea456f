"""A property put on the class over an instance attribute."""

import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


class Box:
    pass


box = Box()
box.n = 0


def write():
    Box.n = property(lambda self: 1)
    del Box.n


def look():
    assert box.n == 0


run(write, look)
