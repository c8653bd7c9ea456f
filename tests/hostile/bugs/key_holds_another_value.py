"""The value under a key is replaced by another thread."""

import functools
import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


def a():
    assert held < key(5)


def b():
    held.obj = 7


key = functools.cmp_to_key(lambda one, other: one - other)
held = key(1)
run(a, b)
