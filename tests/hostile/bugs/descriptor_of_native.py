"""Descriptor that gives a bound C method."""

import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


items = [1]


class Taking:
    def __get__(self, thing, kind):
        return items.pop


class Pool:
    take = Taking()


pool = Pool()


def work():
    if items:
        pool.take()


run(work, work)
