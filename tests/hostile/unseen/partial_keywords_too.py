"""Partial keywords."""

import functools
import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


p = functools.partial(int, "11", base=10)


def a():
    p.keywords["base"] = 2
    p.keywords["base"] = 10


def b():
    assert p() == 11


run(a, b)
