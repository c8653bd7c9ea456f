"""A change of a partial's dictionary of keywords, got before there were threads, and a call of the partial."""

import functools
import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


def step(by):
    return by


part = functools.partial(step, by=0)
given = part.keywords


def write():
    given["by"] = 1
    given["by"] = 2


def look():
    assert part() != 1


run(write, look)
