"""Methodcaller proxy."""

import operator
import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


class Proxy:
    def __getattr__(self, name):
        return getattr(items, name)


items = [1]
proxy = Proxy()
take = operator.methodcaller("pop")


def work():
    if items:
        take(proxy)


run(work, work)
