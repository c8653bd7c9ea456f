"""A class with parameters hands on a stored attribute to the class."""

import threading
import typing


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


T = typing.TypeVar("T")


class Box(typing.Generic[T]):
    n = 0


alias = Box[int]


def write():
    alias.n = 1
    alias.n = 2


def look():
    assert Box.n != 1


run(write, look)
