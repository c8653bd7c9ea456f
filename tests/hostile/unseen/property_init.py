"""Property init."""

import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


class A:
    @property
    def x(self):
        return 0


x = A()


def a():
    A.x.__init__(lambda self: 1)
    A.__dict__["x"].__init__(lambda self: 1)
    A.__dict__["x"].__init__(lambda self: 0)


def a2():
    p = A.__dict__["x"]
    p.__init__(lambda self: 1)
    p.__init__(lambda self: 0)


def b():
    assert x.x == 0


run(a2, b)
