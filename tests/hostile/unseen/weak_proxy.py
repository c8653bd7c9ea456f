"""Weakref.proxy(box).n reads box.n."""

import threading
import weakref


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


class Box:
    n = 0


box = Box()
proxy = weakref.proxy(box)


def write():
    box.n = 1
    box.n = 2


def look():
    assert proxy.n != 1


run(write, look)
