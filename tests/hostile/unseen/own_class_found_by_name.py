"""A class that another thread makes is found below its base by a method that is called by name."""

import operator
import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


class Base:
    def __len__(self):
        return 0


def a():
    kind = type("Kind", (Base,), {})
    kind.__len__ = lambda self: 1


def b():
    for kind in operator.methodcaller("__subclasses__")(Base):
        assert len(kind()) == 1


run(a, b)
