"""A thread keeps an object that it gets by a weak reference; another one lets go of it."""

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


nodes = [Node()]
reference = weakref.ref(nodes[0])
kept = []


def look():
    kept.append(reference())


run(look, nodes.clear)
assert kept != [None]
