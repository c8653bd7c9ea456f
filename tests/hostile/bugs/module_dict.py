"""Module.n stored, module.__dict__["n"] read."""

import threading
import types


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


space = types.ModuleType("space")
space.n = 0


def write():
    space.n = 1
    space.n = 2


def look():
    assert space.__dict__["n"] != 1


run(write, look)
