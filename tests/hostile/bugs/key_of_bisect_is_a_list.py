"""A thread bisects a list by an attribute of its elements: a list, which another one changes."""

import threading
from bisect import bisect_left
from operator import attrgetter


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


class Item:
    def __init__(self, time):
        self.time = [time]


items = [Item(1), Item(2)]
seen = []


def change():
    items[0].time[0] = 2


run(change, lambda: seen.append(bisect_left(items, [2], key=attrgetter("time"))))
assert seen == [1]
