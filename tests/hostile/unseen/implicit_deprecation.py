"""Implicit deprecation."""

import threading
import warnings


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


warnings.simplefilter("ignore")


def a():
    warnings.simplefilter("error")
    warnings.simplefilter("ignore")


def b():
    assert NotImplemented is not None and bool(NotImplemented)


run(a, b)
