"""Attributes that one call of `operator.attrgetter` gets, by way of others, are of one time."""

import operator
import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


class Box:
    value = 1


box = Box()
box.inner = Box()


def change():
    box.inner.value = 2


def look():
    assert operator.attrgetter("inner.value", "value")(box) != (1, 1)


run(change, look)
