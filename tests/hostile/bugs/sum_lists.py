"""Sum(outer, []) reads inner lists."""

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
    inner.append(5)
    inner.pop()


def look():
    assert sum(outer, []) == [0]


run(write, look)
