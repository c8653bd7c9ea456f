"""Truth of a comparison's result (`if source < 1`, __lt__ gives a shared list)."""

import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


items = []


class Source:
    def __lt__(self, other):
        return items


source = Source()


def write():
    items.append(1)
    items.clear()


def look():
    if source < 1:
        raise AssertionError


run(write, look)
