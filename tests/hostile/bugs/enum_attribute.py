"""Attribute of an Enum class (Color.n)."""

import enum
import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


class Color(enum.Enum):
    RED = 1


Color.n = 0


def write():
    Color.n = 1
    Color.n = 2


def look():
    assert Color.n != 1


run(write, look)
