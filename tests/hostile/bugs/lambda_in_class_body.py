"""Comprehension's first iterable in a class body reads a closure variable (as a21)."""

import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


def scope():
    n = 0

    def write():
        nonlocal n
        n = 1
        n = 2

    def look():
        class K:
            values = [x for x in (n,)]

        assert K.values != [1]

    run(write, look)


scope()
