"""Partial setstate."""

import functools
import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


p = functools.partial(int, "0")


def a():
    p.__setstate__((int, ("1",), {}, {}))
    p.__setstate__((int, ("0",), {}, {}))


def b():
    assert p() == 0


run(a, b)
