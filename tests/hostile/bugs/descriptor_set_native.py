"""A descriptor stores by a method in C of a dictionary."""

import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


table = {}


class Field:
    def __get__(self, thing, kind):
        return 0

    __set__ = table.setdefault


class Box:
    f = Field()


box = Box()


def write():
    box.f = 1
    Box().f = 2


def look():
    assert len(table) != 1


class Hashed(Box):
    pass


run(write, look)
