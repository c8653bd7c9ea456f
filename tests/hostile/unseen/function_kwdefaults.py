"""Function kwdefaults."""

import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


def f(*, x=0):
    return x


def a():
    f.__kwdefaults__["x"] = 1
    f.__kwdefaults__["x"] = 0


def b():
    assert f() == 0


run(a, b)
