"""Import reads modules."""

import sys
import threading
import types


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


def a():
    sys.modules["hbq"] = types.ModuleType("hbq")


def b():
    import hbq


run(a, b)
