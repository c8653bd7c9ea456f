"""Rlock repr."""

import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


lock = threading.RLock()


def a():
    with lock:
        pass


def b():
    assert "unlocked" in f"{lock}"


run(a, b)
