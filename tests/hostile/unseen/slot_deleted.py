"""A slot is taken from its class and put back."""

import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


class Box:
    __slots__ = ("n",)


box = Box()
box.n = 0
saved = Box.__dict__["n"]


def write():
    del Box.n
    Box.n = saved


def look():
    box.n


run(write, look)
