"""Class body with `nonlocal n; n += 1` (stores of a class body to a closure variable)."""

import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


def scope():
    n = 0

    def work():
        nonlocal n

        class K:
            nonlocal n
            n += 1
            n += 1

    def look():
        class K:
            v = n

        assert K.v != 1

    run(work, look)


scope()
