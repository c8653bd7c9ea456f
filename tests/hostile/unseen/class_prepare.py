"""Metaclass __prepare__ gives a shared dictionary: stores of the class body."""

import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


space = {"n": 0}


class Meta(type):
    @classmethod
    def __prepare__(cls, name, bases):
        return space


def write():
    class K(metaclass=Meta):
        n = 1
        n = 2


def look():
    assert space["n"] != 1


run(write, look)
