"""Attrgetter getattr."""

import operator
import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


class Box:
    n = 0


box = Box()


class Proxy:
    def __getattr__(self, name):
        return box


proxy = Proxy()
get = operator.attrgetter("any.n")


def write():
    box.n = 1
    box.n = 2


def look():
    assert get(proxy) != 1


run(write, look)
