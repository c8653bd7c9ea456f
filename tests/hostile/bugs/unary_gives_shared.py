"""Unary operator of the program's class gives a shared list; `if -source` (truth."""

import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


items = []


class Source:
    def __neg__(self):
        return items


source = Source()


def write():
    items.append(1)
    items.append(2)


def look():
    n = 0
    for _ in -source:
        n += 1
    if -source:
        pass


def test():
    if not -source:
        if -source:
            raise AssertionError


def drop():
    items.append(1)


run(test, drop)
