"""Vars(module)["n"] stored, module.n read."""

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
    vars(space)["n"] = 1
    vars(space)["n"] = 2


def look():
    assert space.n != 1


run(write, look)
