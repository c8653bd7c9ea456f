"""A class with parameters hands on an attribute of the class."""

import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


class Box:
    n = 0
    __class_getitem__ = classmethod(type(list[int]))


alias = Box[int]


def write():
    Box.n = 1
    Box.n = 2


def look():
    assert alias.n != 1


run(write, look)
