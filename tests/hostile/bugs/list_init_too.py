"""List init."""

import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


x = [1, 2]


def a():
    x.__init__((1, 2, 3))
    x.__init__((1, 2))


def b():
    assert len(x) == 2


run(a, b)
