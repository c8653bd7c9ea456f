"""A thread hands an object to a thread that it starts, and then changes the class."""

import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


def a():
    item = type("Kind", (), {"__len__": lambda self: 0})()
    child = threading.Thread(target=look, args=(item,))
    child.start()
    type(item).__len__ = lambda self: 1
    child.join()


def look(item):
    assert len(item) == 1


def b():
    pass


run(a, b)
