"""A view of a dictionary is measured by __len__()."""

import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


table = {}
view = table.items()


def write():
    table[1] = 1
    del table[1]


def look():
    assert view.__len__() == 0


run(write, look)
