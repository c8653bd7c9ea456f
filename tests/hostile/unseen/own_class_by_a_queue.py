"""A thread hands an object on by a queue, and then changes its class."""

import queue
import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


def a():
    item = type("Kind", (), {"__len__": lambda self: 0})()
    given.put(item)
    type(item).__len__ = lambda self: 1


def b():
    assert len(given.get()) == 1


given = queue.Queue()
run(a, b)
