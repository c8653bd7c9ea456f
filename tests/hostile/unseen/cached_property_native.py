"""A cached_property computes by a function in C."""

import functools
import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


class Items(list):
    size = functools.cached_property(len)


items = Items()


def write():
    items.append(1)
    items.append(1)


def look():
    assert items.size != 1


run(write, look)
