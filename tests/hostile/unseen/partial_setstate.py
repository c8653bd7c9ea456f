"""Partial.__setstate__."""

import functools
import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


def step(by=0):
    return by


part = functools.partial(step, 0)


def write():
    part.__setstate__((step, (1,), {}, None))
    part.__setstate__((step, (2,), {}, None))


def look():
    assert part() != 1


run(write, look)
