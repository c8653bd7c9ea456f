"""Staticmethod init."""

import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


class A:
    @staticmethod
    def f():
        return 0


def a():
    p = A.__dict__["f"]
    p.__init__(lambda: 1)
    p.__init__(lambda: 0)


def b():
    assert A.f() == 0


run(a, b)
