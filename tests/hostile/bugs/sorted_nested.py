"""Sorted(outer): the same."""

import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


inner = [0]
outer = [[1], inner]


def write():
    inner[0] = 5
    inner[0] = 0


def look():
    assert sorted(outer)[1] is not inner


run(write, look)
