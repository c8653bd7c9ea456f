"""`__next__` of a copied `tee`, called by its name, reads the list behind the iterator behind it."""

import copy
import itertools
import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


numbers = [1, 2]
first, second = itertools.tee(numbers)


def look():
    try:
        copy.copy(first).__next__()
    except StopIteration:
        raise AssertionError from None


run(look, numbers.clear)
