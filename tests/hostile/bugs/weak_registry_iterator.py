"""An iterator over a weak set is under way when threads register objects."""

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
seen = []
registry.add(old := Node())
iterator = iter(registry)
next(iterator)


def work():
    mine = Node()
    registry.add(mine)


def look():
    for each in iterator:
        seen.append(each)


run(work, look)
assert not seen
