"""Path exists patched."""

import pathlib
import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


old = pathlib.Path.exists


def a():
    pathlib.Path.exists = lambda p: 5
    pathlib.Path.exists = old


def b():
    assert pathlib.Path("/").exists() is True


run(a, b)
