"""Any(outer): truth of inner lists."""

import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


inner = []
outer = [inner]


def write():
    inner.append(1)
    inner.pop()


def look():
    assert not any(outer)


run(write, look)
