"""A key function in C takes from a list in which another thread looks for something."""

import heapq
import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


def a():
    list(heapq.merge([1, 2], [3], key=numbers.index))


def b():
    numbers.remove(3)


numbers = [1, 2, 3]
run(a, b)
