"""A format looks at an attribute of a function."""

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
    assert "{0.n}".format(hits) != "1"


run(write, look)
