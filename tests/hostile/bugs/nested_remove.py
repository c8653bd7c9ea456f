"""Outer.remove([5]) compares inner lists."""

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
    try:
        outer.remove([5])
    except ValueError:
        return
    raise AssertionError


run(write, look)
