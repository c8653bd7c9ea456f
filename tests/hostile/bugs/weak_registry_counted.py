"""A thread counts the objects in a weak set, while another one registers one and lets go of it."""

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


def work():
    mine = Node()
    registry.add(mine)


run(work, lambda: seen.append(len(registry)))
assert seen == [0]
