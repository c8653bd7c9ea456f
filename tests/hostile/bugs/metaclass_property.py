"""Metaclass property that gives a bound C method."""

import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


items = [1]


class Meta(type):
    @property
    def take(cls):
        return items.pop


class Pool(metaclass=Meta):
    pass


def work():
    if items:
        Pool.take()


run(work, work)
