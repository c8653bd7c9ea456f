"""Attribute of a metaclass read through its class (Box.n)."""

import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


class Meta(type):
    n = 0


class Box(metaclass=Meta):
    pass


def write():
    Meta.n = 1
    Meta.n = 2


def look():
    assert Box.n != 1


run(write, look)
