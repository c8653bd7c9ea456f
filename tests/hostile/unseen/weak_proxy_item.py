"""An item is read by way of a weak proxy."""

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


items = Stack([0])
proxy = weakref.proxy(items)


def write():
    items[0] = 1
    items[0] = 2


def look():
    assert proxy[0] != 1


run(write, look)
