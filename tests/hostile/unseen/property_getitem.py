"""Property getitem."""

import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


items = {"a": 1}


class Bag:
    __getitem__ = property(lambda self: items.__getitem__)


bag = Bag()


def one():
    assert bag["a"] == 1


def two():
    items["a"] = 2


run(one, two)
