"""A change of the keywords of a partial that a function in C calls, got before there were threads."""

import functools
import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


part = functools.partial(int, base=10)
given = part.keywords


def write():
    given["base"] = 2
    given["base"] = 10


def look():
    assert sorted(["10", "9"], key=part) == ["9", "10"]


run(write, look)
