"""The method count() of a tuple compares lists in it."""

import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


inner = [0]
pair = (inner, 1)


def write():
    inner[0] = 5
    inner[0] = 0


def look():
    assert pair.count([5]) == 0


run(write, look)
