"""The description of a property is replaced."""

import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


class Box:
    @property
    def n(self):
        return 0


prop = Box.__dict__["n"]


def write():
    prop.__doc__ = "1"
    prop.__doc__ = "2"


def look():
    assert prop.__doc__ != "1"


run(write, look)
