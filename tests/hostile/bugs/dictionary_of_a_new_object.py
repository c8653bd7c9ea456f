"""A dictionary becomes that of a new object while threads are there: its items and the attributes are the same."""

import threading


class Box:
    pass


made = []


def make():
    box, items = Box.__new__(Box), {"n": 0}
    box.__dict__ = items
    made.append((box, items))


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


run(make, lambda: None)
(box, items) = made[0]


def by_attribute():
    box.n += 1


def by_item():
    items["n"] += 1


run(by_attribute, by_item)
assert box.n == 2
