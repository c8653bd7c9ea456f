"""reprlib goes through nested lists in several steps."""

import reprlib
import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


p = [[0], [0]]


def a():
    p[0][0] = 1
    p[1][0] = 1


def b():
    assert reprlib.repr(p) != "[[0], [1]]"


run(a, b)
