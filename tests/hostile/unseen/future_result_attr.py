"""Future result attr."""

import threading
from concurrent.futures import Future


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


f = Future()


def a():
    f.set_result(1)


def b():
    assert f._result is None


run(a, b)
