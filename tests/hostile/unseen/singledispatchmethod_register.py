"""A function is registered while another thread dispatches."""

import functools
import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


class Box:
    @functools.singledispatchmethod
    def go(self, x):
        return 0


box = Box()


def other(self, x):
    return 1


def third(self, x):
    return 2


dispatcher = Box.__dict__["go"]


def write():
    dispatcher.register(int, other)
    dispatcher.register(int, third)


def look():
    assert box.go(1) != 1


run(write, look)
