"""Weakref.proxy(list subclass).pop()."""

import threading
import weakref


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


class Stack(list):
    pass


items = Stack([1])
proxy = weakref.proxy(items)


def work():
    if items:
        proxy.pop()


run(work, work)
