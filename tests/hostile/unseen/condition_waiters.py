"""Condition waiters."""

import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


cond = threading.Condition()


def a():
    with cond:
        cond.wait(0.01)


def b():
    assert len(cond._waiters) == 0


run(a, b)
