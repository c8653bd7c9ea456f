"""List(map(repr, outer)) nested."""

import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


inner = []
outer = [[inner]]


def write():
    inner.append(1)
    inner.clear()


def look():
    assert list(map(repr, outer)) == ["[[]]"]


run(write, look)
