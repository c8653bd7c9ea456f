"""A chain goes through a generator of the library that is in a list."""

import heapq
import itertools
import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


numbers = [1, 4]
merged = heapq.merge(numbers, [2, 3])


def look():
    assert list(itertools.chain.from_iterable([merged])) == [1, 2, 3, 4]


run(look, numbers.clear)
