"""A function that keeps an array of a derived class sorted changes it."""

import array
import bisect
import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


class Numbers(array.array):
    pass


numbers = Numbers("i", [1, 3])


def look():
    assert len(numbers) == 2


run(look, lambda: bisect.insort(numbers, 2))
