"""Nested thread name."""

import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


names = {}


def make(k):
    t = threading.Thread(target=int)
    names[k] = t.name


run(lambda: make("a"), lambda: make("b"))
assert names["a"] < names["b"]
