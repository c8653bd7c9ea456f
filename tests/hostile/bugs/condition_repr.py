"""Condition repr."""

import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


c = threading.Condition()


def a():
    with c:
        pass


def b():
    assert "unlocked" in repr(c)


run(a, b)
