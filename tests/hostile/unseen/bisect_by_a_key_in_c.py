"""Bisect by a key in c."""

import bisect
import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


d = {1: 1, 2: 2}


def one():
    assert bisect.bisect([1, 2], 1, key=d.__getitem__) == 1


def two():
    d[1] = 5


run(one, two)
