"""Identity of equal tuples: `box.x is one` (values."""

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
one, other = tuple([1, 2]), tuple([1, 2])
box.x = one


def write():
    box.x = other
    box.x = one


def look():
    assert box.x is one


run(write, look)
