"""A string.Formatter looks at an attribute of a class."""

import string
import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


class Box:
    n = 0


def write():
    Box.n = 1
    Box.n = 2


def look():
    assert string.Formatter().format("{0.n}", Box) != "1"


run(write, look)
