"""Threads register objects in a weak set that nothing looks at, and let go of them."""

import threading
import weakref


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


class Node:
    pass


registry = weakref.WeakSet()
old = Node()
registry.add(old)


def work():
    mine = Node()
    registry.add(mine)
    mine.n = 1


def drop():
    global old
    old = None


run(work, work, drop)
