"""Class body reads a global of the same name it binds (n = n)."""

import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


n = 0


def work():
    global n

    class K:
        n = n + 1

    n = K.n


def write():
    global n
    n = 1
    n = 2


def look():
    class K:
        n = n

    assert K.n != 1


run(write, look)
