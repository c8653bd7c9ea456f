"""inspect.getdoc() reads the description of a function."""

import inspect
import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


def go():
    "0"


def write():
    go.__doc__ = "1"
    go.__doc__ = "2"


def look():
    assert inspect.getdoc(go) != "1"


run(write, look)
