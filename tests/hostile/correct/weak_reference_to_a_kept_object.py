"""Threads keep an object that they get by a weak reference, and that a variable holds anyway."""

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


node = Node()
node.links = []
reference = weakref.ref(node)
kept = []
lock = threading.Lock()


def look():
    found = reference()
    with lock:
        found.links.append(1)
        kept.append(found)


run(look, look)
assert kept == [node, node] and node.links == [1, 1]
