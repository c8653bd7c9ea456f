"""Barrier parties."""

import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


b2 = threading.Barrier(2)


def a():
    b2._parties = 1


def b():
    b2.wait()


run(a, b)
