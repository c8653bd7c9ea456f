"""`Counter +=` is written in Python: a loop, no single step."""

import collections
import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


counts = collections.Counter("a")


def add():
    global counts
    counts += collections.Counter("a")


run(add, add)
assert counts["a"] == 3
