"""The variables of a generator are looked at by way of its frame."""

import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


def counter():
    n = 1
    yield
    n = 2
    yield
    n = 3
    yield


g = counter()
next(g)
frame = g.gi_frame


def write():
    next(g)
    next(g)


def look():
    assert frame.f_locals["n"] != 2


run(write, look)
