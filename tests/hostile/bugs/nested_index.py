"""Outer.count([5]) / index: compares inner lists."""

import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


inner = [0]
outer = [inner]


def write():
    inner[0] = 5
    inner[0] = 0


def look():
    assert outer.count([5]) == 0


run(write, look)
