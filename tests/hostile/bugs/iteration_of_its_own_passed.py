"""Code in C looks into a list past the `__iter__` of its class."""

import bisect
import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


class Numbers(list):
    def __iter__(self):
        return super().__iter__()


numbers = Numbers([1, 2, 3])


def look():
    assert bisect.bisect(numbers, 2) == 2


run(look, lambda: numbers.insert(0, 0))
