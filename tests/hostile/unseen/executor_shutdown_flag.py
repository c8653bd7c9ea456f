"""Executor shutdown flag."""

import threading
from concurrent.futures import ThreadPoolExecutor


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


p = ThreadPoolExecutor(1)


def a():
    p.shutdown()


def b():
    assert not p._shutdown


run(a, b)
