"""Partial.keywords[k] = v (item store) and a call of the partial."""

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


part = functools.partial(step, by=0)


def write():
    part.keywords["by"] = 1
    part.keywords["by"] = 2


def look():
    assert part() != 1


run(write, look)
