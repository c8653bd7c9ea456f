"""Copyreg.pickle against copy.copy."""

import copy
import copyreg
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


def made(x):
    return Box, ()


def other(x):
    return list, ()


def write():
    copyreg.pickle(Box, other)
    copyreg.pickle(Box, made)


def look():
    assert type(copy.copy(box)) is Box


run(write, look)
