"""Threads whose target is a method in C that is one step."""

import itertools
import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


numbers = itertools.count(5)
threads = [threading.Thread(target=next, args=(numbers,)) for _ in range(2)]
for each in threads:
    each.start()
for each in threads:
    each.join()
assert next(numbers) == 7
