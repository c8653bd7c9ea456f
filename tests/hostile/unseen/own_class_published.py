"""A thread gives a special method to a class that it made after it has shown others an instance."""

import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


class Box:
    item = None


def a():
    kind = type("Kind", (), {"__len__": lambda self: 0})
    box.item = kind()
    kind.__len__ = lambda self: 1


def b():
    item = box.item
    assert item is None or len(item) == 1


box = Box()
run(a, b)
