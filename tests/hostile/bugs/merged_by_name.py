"""`__next__` of a generator of the library, called by its name, reads the lists that it goes over."""

import heapq
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
    assert merged.__next__() == 1


run(look, numbers.clear)
