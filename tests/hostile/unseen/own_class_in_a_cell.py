"""The class that a thread makes is seen by way of a closure that others have had before."""

import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


def a():
    def find():
        return made

    made = None
    finders.append(find)
    made = type("Kind", (), {"__len__": lambda self: 0})()
    type(made).__len__ = lambda self: 1


def b():
    if finders:
        item = finders[0]()
        assert item is None or len(item) == 1


finders = []
run(a, b)
