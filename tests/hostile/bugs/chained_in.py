"""Chained comparison with `in`: `[5] in outer != 0`."""

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
    assert not ([5] in outer != 0)


run(write, look)
