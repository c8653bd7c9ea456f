"""Set name is setdefault."""

import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


items = {}


class Slot:
    __set_name__ = items.setdefault


def one():
    class A:
        x = Slot()


def two():
    n = len(items)
    m = len(items)
    assert n == m


run(one, two)
