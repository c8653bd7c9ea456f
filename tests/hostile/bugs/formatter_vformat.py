"""A string.Formatter reads two attributes one after the other."""

import string
import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


class P:
    pass


p = P()
p.x = 0
p.y = 0


def a():
    p.x = 1
    p.y = 1


def b():
    assert string.Formatter().format("{0.x}{0.y}", p) != "01"


run(a, b)
