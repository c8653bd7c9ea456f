"""Sys.modules[...] stored against an import statement."""

import sys
import threading
import types


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


def write():
    m = types.ModuleType("freshly_made")
    m.x = 1
    sys.modules["freshly_made"] = m
    sys.modules.pop("freshly_made")


def look():
    try:
        import freshly_made
    except ImportError:
        return
    raise AssertionError


run(write, look)
