"""A defaultdict makes its values by a method in C of a list."""

import collections
import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


ids = [1]
table = collections.defaultdict(ids.pop)


def work(key):
    if ids:
        table[key]


run(lambda: work("a"), lambda: work("b"))
