"""Copy._copy_dispatch[...] against copy.copy."""

import copy
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


def write():
    copy._copy_dispatch[Box] = lambda x: 1
    del copy._copy_dispatch[Box]


def look():
    assert copy.copy(box) != 1


run(write, look)
