"""random.choices() goes through items, then through weights."""

import random
import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


r = random.Random(3)
items, weights = [1, 2], [1, 1]


def a():
    items.append(3)
    weights.append(1)


def b():
    r.choices(items, weights)


run(a, b)
