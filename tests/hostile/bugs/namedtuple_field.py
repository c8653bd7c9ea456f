"""Namedtuple field that holds a bound C method: pool.take()."""

import collections
import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


items = [1]
Pool = collections.namedtuple("Pool", "take")
pool = Pool(items.pop)


def work():
    if items:
        pool.take()


run(work, work)
