"""Two instances share one __dict__ (Borg): their attributes are logged as two locations."""

import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


class Box:
    pass


one, two = Box(), Box()
one.n = 0
two.__dict__ = one.__dict__


def write():
    one.n = 1
    one.n = 0


def look():
    assert two.n == 0


run(write, look)
