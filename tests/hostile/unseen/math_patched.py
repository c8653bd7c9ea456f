"""Math patched."""

import math
import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


old = math.floor


def a():
    math.floor = lambda x: 5
    math.floor = old


def b():
    assert math.floor(1.5) == 1


run(a, b)
