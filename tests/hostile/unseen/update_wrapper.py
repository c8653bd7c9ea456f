"""functools.update_wrapper() copies the attributes of a function."""

import functools
import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


def hits():
    pass


hits.n = 0


def write():
    hits.n = 1
    hits.n = 2


def look():
    def g():
        pass

    functools.update_wrapper(g, hits)
    assert g.n != 1


run(write, look)
