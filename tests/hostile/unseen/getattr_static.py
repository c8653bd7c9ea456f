"""inspect.getattr_static() reads an attribute of a class."""

import inspect
import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


class Box:
    n = 0


def write():
    Box.n = 1
    Box.n = 2


def look():
    assert inspect.getattr_static(Box, "n") != 1


run(write, look)
