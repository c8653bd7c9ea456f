"""Functools.singledispatch over a C function."""

import functools
import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


items = []
put = functools.singledispatch(items.append)


def write():
    put(1)
    put(2)


def look():
    assert len(items) != 1


run(write, look)
