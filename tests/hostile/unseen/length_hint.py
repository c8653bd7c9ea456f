"""operator.length_hint() looks how far an iterator is."""

import operator
import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


it = iter([1, 2])


def write():
    next(it)
    next(it)


def look():
    assert operator.length_hint(it) != 1


run(write, look)
