"""A thread looks into a weak set after it has closed the registration of further objects."""

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
kept = []
closed = []


def work():
    if not closed:
        mine = Node()
        kept.append(mine)
        registry.add(mine)


def look():
    closed.append(1)
    if len(vars(registry)["data"]):
        kept.append(1)


run(work, look)
assert len(kept) != 2
