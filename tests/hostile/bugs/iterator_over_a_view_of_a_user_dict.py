"""An iterator over the values of a `UserDict` reads the dictionary behind it."""

import collections
import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


things = collections.UserDict(a=1, b=2)
values = iter(things.values())


def change():
    things["a"] = 3


def look():
    assert sum(values) != 3


run(change, look)
