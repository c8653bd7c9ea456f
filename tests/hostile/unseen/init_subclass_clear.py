"""Init subclass clear."""

import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


items = [1]


class Base:
    __init_subclass__ = items.clear


def one():
    class A(Base):
        pass


def two():
    if items:
        items[0]


run(one, two)
