"""Class body in a function reads a closure variable."""

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
            v = n

        assert K.v != 1

    run(write, look)


scope()
