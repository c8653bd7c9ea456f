"""random.choice() takes the length of a list, then an item of it."""

import random
import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


random.seed(next(s for s in range(99) if random.Random(s).choice([0, 1]) == 1))
items = [1, 2]


def a():
    items.pop()


def b():
    random.choice(items)


run(a, b)
