"""A function of the program is called range."""

import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


items = []


def range(n):  # noqa: A001  # the name is the point
    return [items]


def write():
    items.append(1)
    items.clear()


def look():
    for x in range(1):
        y = x + x
    assert y == []


run(write, look)
