"""Each thread makes a class, and gives it special methods."""

import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


def work():
    kind = type("Kind", (), {"__len__": lambda self: 0})
    kind.__len__ = lambda self: 1
    assert len(kind()) == 1
    assert kind.__module__ == __name__


run(work, work)
