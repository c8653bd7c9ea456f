"""`shuffle` is a loop in Python, not one step."""

import random
import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


items = [1, 2, 3]


def look():
    assert sorted(items) == [1, 2, 3]


run(lambda: random.Random(3).shuffle(items), look)
