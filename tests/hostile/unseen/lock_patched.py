"""Lock patched."""

import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


old = threading.Lock


def a():
    threading.Lock = lambda: 5
    threading.Lock = old


def b():
    assert threading.Lock() != 5


run(a, b)
