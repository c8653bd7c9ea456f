"""Numbers of selectors."""

import selectors
import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


eps = {}


def one():
    eps["a"] = selectors.DefaultSelector()


def two():
    eps["b"] = selectors.DefaultSelector()


run(one, two)
assert eps["a"].fileno() < eps["b"].fileno()
