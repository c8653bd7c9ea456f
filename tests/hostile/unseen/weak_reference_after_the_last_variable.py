"""An object in a cycle is looked up by a weak reference when no variable refers to it any more."""

import threading
import weakref


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


class Node:
    def __init__(self, *given):
        self.me = self
        self.given = given
        self.closed = False


def work():
    node = Node()
    reference = weakref.ref(node)
    del node
    junk = [[] for _ in range(5)]
    assert reference() is not None, junk


run(work, work)
