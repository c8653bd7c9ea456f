"""A view of a dictionary is searched by __contains__()."""

import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


table = {}
view = table.keys()


def write():
    table[1] = 1
    del table[1]


def look():
    assert not view.__contains__(1)


run(write, look)
