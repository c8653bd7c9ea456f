"""Event repr."""

import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


e = threading.Event()


def a():
    e.set()


def b():
    assert "unset" in repr(e)


run(a, b)
